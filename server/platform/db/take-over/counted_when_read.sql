-- From counters to counting when it is read: entries of the audit log, and what recipients of a transmission did.
DROP FUNCTION count_sealed() CASCADE;
DROP TABLE audit_days;
DROP TABLE actor_days;
DROP INDEX audit_by_organization;
CREATE INDEX audit_by_organization ON audit (organization_id, at, id) INCLUDE (action, actor_id);
DROP TRIGGER IF EXISTS mark_dirty_insert ON audit;
CREATE TRIGGER mark_dirty_insert AFTER INSERT ON audit REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION mark_dirty('organization_id', 'SELECT ''reports'', coalesce(organization_id, ''00000000-0000-0000-0000-000000000000''), null::uuid, null::text FROM changed');
DROP FUNCTION count_delivery_viewing() CASCADE;
DROP TABLE transmission_viewing;
ALTER TABLE delivery_viewing DROP CONSTRAINT delivery_viewing_transmission_id_delivery_id_pk,
  ADD CONSTRAINT delivery_viewing_transmission_id_delivery_id_pk PRIMARY KEY (transmission_id, delivery_id)
    INCLUDE (organization_id, opened_at, first_play_at, completed_at);
