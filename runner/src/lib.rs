//! Everything of lito that touches the world.
