#!/usr/bin/env run
fn windows() {
    call(1);
}
