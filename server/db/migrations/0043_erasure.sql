-- Answers of mail servers may name the address: they go with the person.
GRANT UPDATE (response) ON delivery_attempts TO sendreel_app;
