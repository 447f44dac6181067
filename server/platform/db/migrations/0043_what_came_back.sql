-- What of somebody's mails was refused or came back, so that a list of people looks at nothing else.
CREATE INDEX deliveries_returned ON deliveries (user_id, transmission_id) WHERE state IN ('bounced', 'rejected');
