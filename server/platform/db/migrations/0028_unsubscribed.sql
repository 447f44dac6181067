-- Their reader said so by the link of the mail.
ALTER TABLE delivery_events DROP CONSTRAINT delivery_events_source_word;
ALTER TABLE delivery_events ADD CONSTRAINT delivery_events_source_word CHECK (source IN ('generic', 'postmark', 'ses', 'mailbox', 'reader'));
