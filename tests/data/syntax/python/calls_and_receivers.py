import os.path, numpy as np
from .models import User as U, Group
from a import *
LIMIT = 3
def calls(self, text):
    os.path.join(text, "b")
    self.run(text)
    self.items.append(np.array(text))
    text.strip().lower()
    sorted(text, key=lambda c: c.lower())
    spawn(lambda: work())
    handlers[0](text)
    user = User()
    self.count += 1
    print(f"{text} {render(text)}")
