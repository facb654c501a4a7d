def anything(): pass
