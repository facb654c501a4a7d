fn known() { call() }
fn unknown() { let x = become go(1); }
