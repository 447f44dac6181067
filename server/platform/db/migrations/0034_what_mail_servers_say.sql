-- What a person wants: no messages but those that they owe. It is theirs, and goes with them to any other address; what is known of an
-- address stands in `suppressions`, and neither hides the other.
CREATE TABLE unsubscriptions (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  -- Null: of whoever will have the address.
  user_id uuid,
  -- At which they are written to, or were to the last.
  address text NOT NULL,
  -- Who wrote it down for them; null: they said so themselves.
  created_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX unsubscriptions_once ON unsubscriptions (organization_id, user_id) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX unsubscriptions_ahead ON unsubscriptions (organization_id, address) WHERE user_id IS NULL;
CREATE INDEX unsubscriptions_address ON unsubscriptions (organization_id, address);
SELECT add_tenant_policy('unsubscriptions', 'organization_id');

-- Whoever changes their address still wants no messages. Whoever has an address of which somebody who is gone has said so is taken for them.
CREATE FUNCTION unsubscriptions_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE unsubscriptions SET address = NEW.email WHERE organization_id = NEW.organization_id AND user_id = NEW.id;
  END IF;
  INSERT INTO unsubscriptions (organization_id, user_id, address, created_by, created_at)
    SELECT w.organization_id, NEW.id, w.address, w.created_by, w.created_at FROM unsubscriptions w
    WHERE w.organization_id = NEW.organization_id AND w.address = NEW.email AND w.user_id IS DISTINCT FROM NEW.id
      AND NOT EXISTS (SELECT FROM users u WHERE u.id = w.user_id AND u.deleted_at IS NULL)
    ORDER BY w.created_at LIMIT 1
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER unsubscriptions_follow_new AFTER INSERT ON users
  FOR EACH ROW WHEN (NEW.organization_id IS NOT NULL) EXECUTE FUNCTION unsubscriptions_follow();
CREATE TRIGGER unsubscriptions_follow_changed AFTER UPDATE OF email ON users
  FOR EACH ROW WHEN (NEW.organization_id IS NOT NULL AND NEW.erased_at IS NULL AND NEW.email IS DISTINCT FROM OLD.email)
  EXECUTE FUNCTION unsubscriptions_follow();

-- Whoever said so by a mail is known by it, whatever their address is by now; else whoever has the address.
CREATE TEMPORARY TABLE said ON COMMIT DROP AS
  SELECT s.organization_id, s.id, s.address, s.created_at, s.created_by, coalesce(
    (SELECT d.user_id FROM delivery_events e JOIN deliveries d ON d.transmission_id = e.transmission_id AND d.id = e.delivery_id
      WHERE e.organization_id = s.organization_id AND e.kind = 'unsubscribed' AND d.address = s.address ORDER BY e.received_at DESC LIMIT 1),
    (SELECT u.id FROM users u WHERE u.organization_id = s.organization_id AND u.email = s.address AND u.deleted_at IS NULL LIMIT 1)) AS user_id
  FROM suppressions s
  -- A bar that a person has set took the place of what its reader had said: its row is as old as that.
  WHERE (s.reason = 'unsubscribed' AND s.created_by IS NULL) OR (s.created_by IS NOT NULL AND EXISTS (
    SELECT FROM delivery_events e JOIN deliveries d ON d.transmission_id = e.transmission_id AND d.id = e.delivery_id
    WHERE e.organization_id = s.organization_id AND e.kind = 'unsubscribed' AND d.address = s.address
      AND abs(extract(epoch FROM e.received_at - uuid_extract_timestamp(s.id))) < 1));
INSERT INTO unsubscriptions (organization_id, user_id, address, created_at)
  SELECT g.organization_id, g.user_id, coalesce((SELECT u.email FROM users u WHERE u.id = g.user_id AND u.erased_at IS NULL), g.address),
    g.created_at FROM said g ORDER BY g.created_at
  ON CONFLICT DO NOTHING;
-- What their reader had called unwanted was hidden behind it.
UPDATE suppressions s SET reason = 'complained' FROM said g WHERE s.id = g.id AND g.created_by IS NULL AND EXISTS (
  SELECT FROM delivery_events e JOIN deliveries d ON d.transmission_id = e.transmission_id AND d.id = e.delivery_id
  WHERE e.organization_id = s.organization_id AND e.kind = 'complained' AND d.address = s.address);
DELETE FROM suppressions WHERE reason = 'unsubscribed' AND created_by IS NULL;

-- Of a return: what it is about, so that a sender that is refused stops its transmission and no recipient.
ALTER TABLE delivery_events ADD COLUMN about text;
ALTER TABLE delivery_events ADD CONSTRAINT delivery_events_about_word CHECK (about IN (
  'nobody', 'mailbox', 'sender', 'content', 'policy', 'size', 'system'));

-- Until now every answer with 5.1.x barred the recipient, also one about the sender. Each bar was written in the transaction of what caused
-- it, so its instant is that of the try or of the report; whose words are about the sender is lifted. A bar of which the words are not
-- kept any more stays: it ends by itself after 30 days.
CREATE FUNCTION pg_temp.is_about_sender(said text, status text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(status IN ('5.1.7', '5.1.8'), false) OR coalesce(said ~ '^Mail command failed' OR said ~ '\m5\.1\.[78]\M'
    OR said ~ '\m5\.1\.0\M' AND regexp_replace(said, '[^\s<>@]+@[^\s<>]+', ' ', 'g')
      ~* '\msender\M.{0,60}\m(rejected|refused|denied|blocked|unknown|invalid|verif\w+|not)\M|\moriginator\M|\m(bad|invalid|unknown)\s+(outbound\s+)?sender\M', false)
$$;
CREATE TEMPORARY TABLE misread ON COMMIT DROP AS
  SELECT s.id FROM suppressions s
    JOIN delivery_attempts a ON a.organization_id = s.organization_id AND a.ended_at = s.created_at AND a.outcome = 'rejected'
    JOIN deliveries d ON d.transmission_id = a.transmission_id AND d.id = a.delivery_id AND d.address = s.address
  WHERE s.reason = 'no_such_mailbox' AND s.created_by IS NULL AND pg_temp.is_about_sender(a.response, NULL)
  UNION SELECT s.id FROM suppressions s
    JOIN delivery_events e ON e.organization_id = s.organization_id AND e.received_at = s.created_at AND e.kind = 'returned'
    JOIN deliveries d ON d.transmission_id = e.transmission_id AND d.id = e.delivery_id AND d.address = s.address
  WHERE s.reason = 'no_such_mailbox' AND s.created_by IS NULL AND pg_temp.is_about_sender(d.reason, e.status);
DELETE FROM suppressions WHERE id IN (SELECT id FROM misread);

ALTER TABLE transmissions DROP CONSTRAINT transmissions_state_reason_word;
ALTER TABLE transmissions ADD CONSTRAINT transmissions_state_reason_word CHECK (state_reason IN (
  'no_recipients', 'many_rejected', 'many_returned', 'sender_refused', 'wave_troubled', 'organization_closed',
  'audience_grown', 'audience_changed', 'time_passed', 'restored', 'video_not_ready', 'video_failed', 'video_removed', 'sender_unverified',
  'webhook_missing'));

-- Many bars are lifted at once.
ALTER TABLE operations DROP CONSTRAINT operations_kind_word;
ALTER TABLE operations ADD CONSTRAINT operations_kind_word CHECK (kind IN (
  'users.import', 'users.change', 'users.remove', 'users.add_to_group', 'users.remove_from_group', 'users.invite', 'groups.remove',
  'waivers.remove', 'waivers.give', 'waivers.end', 'organizations.change', 'organizations.remove', 'videos.change', 'videos.move',
  'videos.remove', 'transmissions.cancel', 'barred_addresses.lift'));
ALTER TABLE operation_rows DROP CONSTRAINT operation_rows_entity_word;
ALTER TABLE operation_rows ADD CONSTRAINT operation_rows_entity_word CHECK (entity IN (
  'user', 'group', 'organization', 'member', 'waiver', 'video', 'transmission', 'barred_address'));
