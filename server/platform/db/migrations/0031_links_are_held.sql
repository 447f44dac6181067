-- A process keeps for seconds, too, that a personal link still holds (server/tracking/ingest/live-links.ts).
CREATE TRIGGER callers_updated AFTER UPDATE OF link_revoked_at ON deliveries EXECUTE FUNCTION tell_of_callers();
