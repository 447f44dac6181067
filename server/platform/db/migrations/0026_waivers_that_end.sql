-- Each look at an assignment asks whose waivers have run out; of many people, few have one.
CREATE INDEX obligations_waived ON obligations (assignment_id, waived_until) WHERE state = 'waived';
