"""Statements of SQL: formatted, and split."""

import os
import sys

# The version that is measured, where its package is.
checkout = os.environ["LITO_CHECKOUT"]
sys.path[:0] = [os.path.join(checkout, "src"), checkout]

import sqlparse

QUERY = """select a.id, b.name as "full name", count(*) from accounts a left join books b on a.id = b.owner
where a.age > 18 and (b.price between 10 and 20 or b.name like '%x%') -- a comment
group by a.id, b.name having count(*) > 1 order by 1 desc limit 10;
"""
UPDATE = """insert into books (id, name, price) values (1, 'one', 9.95), (2, 'it''s two', 12);
update books set price = case when price > 10 then price * 0.9 else price end where id in (1, 2, 3);
create table if not exists shelves (id integer primary key, room varchar(20) not null default 'a');
"""

for _ in range(int(sys.argv[2])):
    if sys.argv[1] == "format":
        assert sqlparse.format(QUERY * 3, reindent=True, keyword_case="upper")
    else:
        assert len(sqlparse.split((QUERY + UPDATE) * 5)) == 20
