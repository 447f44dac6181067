CREATE TABLE organizations (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  name text NOT NULL,
  slug text NOT NULL,
  domain text,
  time_zone text NOT NULL DEFAULT 'UTC',
  state text NOT NULL DEFAULT 'active',
  policies jsonb NOT NULL,
  -- Key of the picture.
  logo text,
  -- Kept by triggers, so that an unfiltered list never counts.
  user_count bigint NOT NULL DEFAULT 0,
  group_count bigint NOT NULL DEFAULT 0,
  video_count bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  CONSTRAINT organizations_name_filled CHECK (length(btrim(name)) BETWEEN 1 AND 200),
  CONSTRAINT organizations_state_word CHECK (state IN ('active', 'suspended', 'archived'))
);
CREATE UNIQUE INDEX organizations_slug ON organizations (slug) WHERE deleted_at IS NULL;
CREATE INDEX organizations_name ON organizations (lower(name), id);
CREATE INDEX organizations_search ON organizations USING gin (fold_text(name) gin_trgm_ops);
CREATE INDEX organizations_slips ON organizations USING gin (slip_keys(fold_text(name)));
CREATE INDEX organizations_beginning ON organizations (fold_text(name) text_pattern_ops);
-- What belongs to these is found by nobody.
CREATE INDEX organizations_removed ON organizations (id) WHERE deleted_at IS NOT NULL;
SELECT add_tenant_policy('organizations', 'id');

CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid,
  name text NOT NULL,
  -- Stored in lower case; compared as it is.
  email text NOT NULL,
  role text,
  state text NOT NULL DEFAULT 'active',
  phone text,
  external_id text,
  custom_fields jsonb NOT NULL DEFAULT '{}',
  -- Key of the picture.
  avatar text,
  -- Since when the person has the present role; kept by a trigger.
  role_since timestamptz(3) NOT NULL DEFAULT now(),
  -- Details were taken away after the days of grace; what remains is a pseudonym.
  erased_at timestamptz(3),
  locale text,
  password_hash text,
  password_changed_at timestamptz(3),
  -- The next sign-in has to choose another password.
  password_expired text,
  -- The owner wants the account gone; until then signing in keeps it.
  delete_after timestamptz(3),
  -- What the search box looks through.
  search text GENERATED ALWAYS AS (fold_text(name || ' ' || email || ' ' || coalesce(external_id, ''))) STORED,
  last_seen_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  CONSTRAINT users_tenant UNIQUE (organization_id, id),
  CONSTRAINT users_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT users_home CHECK ((organization_id IS NULL) = (role IS NOT DISTINCT FROM 'superadmin')),
  CONSTRAINT users_email_lower CHECK (email = lower(email)),
  CONSTRAINT users_role_word CHECK (role IN ('superadmin', 'admin', 'groupadmin')),
  CONSTRAINT users_state_word CHECK (state IN ('invited', 'active', 'disabled', 'deleted')),
  CONSTRAINT users_password_expired_word CHECK (password_expired IN ('breached', 'reset_by_admin'))
);
CREATE UNIQUE INDEX users_email_in_organization ON users (organization_id, email) WHERE deleted_at IS NULL;
-- Only who has proved the mailbox has a password: what one organization writes about an address says nothing of another one.
CREATE UNIQUE INDEX users_email_of_account ON users (email) WHERE password_hash IS NOT NULL AND role IS NOT NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX users_external_id ON users (organization_id, external_id) WHERE external_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX users_removed_external_id ON users (organization_id, external_id) WHERE external_id IS NOT NULL AND deleted_at IS NOT NULL;
CREATE INDEX users_removed ON users (organization_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX users_by_name ON users (organization_id, lower(name), id) WHERE deleted_at IS NULL;
CREATE INDEX users_newest ON users (organization_id, created_at, id) WHERE deleted_at IS NULL;
-- `case` and not `coalesce`, which behind row-level security would serve no condition. The plain column at the end lets the index alone
-- answer, without the rows.
CREATE INDEX users_by_last_seen ON users (organization_id, (CASE WHEN last_seen_at IS NULL THEN '-infinity' ELSE last_seen_at END), id, last_seen_at)
  WHERE deleted_at IS NULL;
CREATE INDEX users_by_state ON users (organization_id, state) WHERE deleted_at IS NULL;
CREATE INDEX users_with_role ON users (organization_id, role) WHERE role IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX users_avatar ON users (avatar) WHERE avatar IS NOT NULL;
CREATE INDEX users_custom_fields ON users USING gin (organization_id, custom_fields jsonb_path_ops);
CREATE INDEX users_search ON users USING gin (organization_id, search gin_trgm_ops);
-- What the words are but for one slip: see server/platform/db/similar.ts.
CREATE INDEX users_slips ON users USING gin (organization_id, slip_keys(search));
-- What begins with some letters, in order, of one organization and of all: see server/search. An entry of an index has its limits.
CREATE INDEX users_beginning ON users (organization_id, left(search, 100) text_pattern_ops) WHERE deleted_at IS NULL;
CREATE INDEX users_beginning_anywhere ON users (left(search, 100) text_pattern_ops) WHERE deleted_at IS NULL;
SELECT add_tenant_policy('users', 'organization_id');
-- An import makes tables many times longer within seconds; whoever does that tells the planner.
GRANT MAINTAIN ON users TO sendreel_app;

CREATE TRIGGER count_inserted AFTER INSERT ON users
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization('user_count');
CREATE TRIGGER count_updated AFTER UPDATE ON users
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization('user_count');
CREATE TRIGGER count_deleted AFTER DELETE ON users
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization('user_count');

CREATE FUNCTION keep_role_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.role_since := now();
  RETURN NEW;
END $$;

CREATE TRIGGER role_since BEFORE UPDATE OF role ON users FOR EACH ROW WHEN (NEW.role IS DISTINCT FROM OLD.role) EXECUTE FUNCTION keep_role_since();

CREATE TABLE groups (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  name text NOT NULL,
  description text,
  kind text NOT NULL DEFAULT 'static',
  rule jsonb,
  member_count bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  CONSTRAINT groups_tenant UNIQUE (organization_id, id),
  CONSTRAINT groups_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT groups_rule CHECK ((kind = 'rule') = (rule IS NOT NULL)),
  CONSTRAINT groups_kind_word CHECK (kind IN ('static', 'rule'))
);
CREATE UNIQUE INDEX groups_name ON groups (organization_id, lower(name)) WHERE deleted_at IS NULL;
CREATE INDEX groups_by_rule ON groups (organization_id) WHERE kind = 'rule' AND deleted_at IS NULL;
CREATE INDEX groups_search ON groups USING gin (organization_id, fold_text(name) gin_trgm_ops);
CREATE INDEX groups_slips ON groups USING gin (organization_id, slip_keys(fold_text(name)));
CREATE INDEX groups_beginning ON groups (organization_id, fold_text(name) text_pattern_ops) WHERE deleted_at IS NULL;
CREATE INDEX groups_beginning_anywhere ON groups (fold_text(name) text_pattern_ops) WHERE deleted_at IS NULL;
SELECT add_tenant_policy('groups', 'organization_id');

CREATE TRIGGER count_inserted AFTER INSERT ON groups
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization('group_count');
CREATE TRIGGER count_updated AFTER UPDATE ON groups
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization('group_count');
CREATE TRIGGER count_deleted AFTER DELETE ON groups
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization('group_count');

-- Both foreign keys carry the organization: a member of another tenant's group cannot be written.
CREATE TABLE group_members (
  organization_id uuid NOT NULL,
  group_id uuid NOT NULL,
  user_id uuid NOT NULL,
  groupadmin boolean NOT NULL DEFAULT false,
  -- Present because the rule of the group says so; nobody put the person in by hand.
  by_rule boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT group_members_group_id_user_id_pk PRIMARY KEY (group_id, user_id),
  CONSTRAINT group_members_group FOREIGN KEY (organization_id, group_id) REFERENCES groups (organization_id, id),
  CONSTRAINT group_members_user FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id)
);
CREATE INDEX group_members_by_user ON group_members (user_id);
CREATE INDEX group_members_groupadmins ON group_members (group_id, user_id) WHERE groupadmin;
SELECT add_tenant_policy('group_members', 'organization_id');
GRANT MAINTAIN ON group_members TO sendreel_app;

CREATE FUNCTION count_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE groups g SET member_count = g.member_count + c.n FROM (SELECT group_id, count(*) AS n FROM new_rows GROUP BY 1) c WHERE g.id = c.group_id;
  ELSE
    UPDATE groups g SET member_count = g.member_count - c.n FROM (SELECT group_id, count(*) AS n FROM old_rows GROUP BY 1) c WHERE g.id = c.group_id;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER count_inserted AFTER INSERT ON group_members
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_members();
CREATE TRIGGER count_deleted AFTER DELETE ON group_members
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_members();

-- Every change of a membership, written by a trigger: whoever changes the table, by whatever way, is in it. The actor and the cause come
-- from the transaction.
CREATE TABLE membership_log (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  group_id uuid NOT NULL,
  user_id uuid NOT NULL,
  change text NOT NULL,
  cause text NOT NULL,
  -- Null: the product itself.
  actor_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT membership_log_change_word CHECK (change IN ('added', 'removed', 'groupadmin', 'no_groupadmin')),
  CONSTRAINT membership_log_cause_word CHECK (cause IN ('manual', 'rule', 'import', 'bulk', 'undo', 'invitation', 'removal', 'system'))
);
CREATE INDEX membership_log_by_group ON membership_log (group_id, created_at, id);
CREATE INDEX membership_log_by_user ON membership_log (user_id, created_at, id);
SELECT add_tenant_policy('membership_log', 'organization_id');
-- History: written once, read, never changed.
REVOKE UPDATE, DELETE ON membership_log FROM sendreel_app;

-- One INSERT per statement, whoever changes the memberships, so that the history of a group cannot have a hole.
CREATE FUNCTION log_membership() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  actor uuid := nullif(current_setting('app.actor', true), '')::uuid;
  given text := nullif(current_setting('app.cause', true), '');
  why text := coalesce(given, CASE WHEN actor IS NULL THEN 'system' ELSE 'manual' END);
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO membership_log (organization_id, group_id, user_id, change, cause, actor_id, created_at)
    SELECT organization_id, group_id, user_id, 'added', CASE WHEN by_rule THEN 'rule' ELSE why END, CASE WHEN by_rule THEN NULL ELSE actor END, created_at FROM new_rows
    UNION ALL SELECT organization_id, group_id, user_id, 'groupadmin', why, actor, created_at FROM new_rows WHERE groupadmin;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO membership_log (organization_id, group_id, user_id, change, cause, actor_id)
    SELECT organization_id, group_id, user_id, 'removed', CASE WHEN by_rule AND given IS NULL THEN 'rule' ELSE why END, CASE WHEN by_rule AND given IS NULL THEN NULL ELSE actor END FROM old_rows;
  ELSE
    INSERT INTO membership_log (organization_id, group_id, user_id, change, cause, actor_id)
    SELECT organization_id, group_id, user_id, CASE WHEN groupadmin THEN 'groupadmin' ELSE 'no_groupadmin' END, why, actor FROM (
      SELECT organization_id, group_id, user_id, groupadmin FROM new_rows
      EXCEPT SELECT organization_id, group_id, user_id, groupadmin FROM old_rows) changed;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER log_inserted AFTER INSERT ON group_members
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_membership();
CREATE TRIGGER log_updated AFTER UPDATE ON group_members
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_membership();
CREATE TRIGGER log_deleted AFTER DELETE ON group_members
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION log_membership();

-- What an organization keeps about its people beyond the fields of the product; `users.custom_fields` holds the values by `key`.
CREATE TABLE custom_fields (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  key text NOT NULL,
  label text NOT NULL,
  type text NOT NULL,
  -- The choices of a field of type `choice`.
  options text[] NOT NULL DEFAULT '{}',
  position integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  CONSTRAINT custom_fields_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT custom_fields_type_word CHECK (type IN ('text', 'number', 'date', 'choice'))
);
CREATE UNIQUE INDEX custom_fields_key ON custom_fields (organization_id, key) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX custom_fields_label ON custom_fields (organization_id, lower(label)) WHERE deleted_at IS NULL;
SELECT add_tenant_policy('custom_fields', 'organization_id');

-- A list as somebody wants to see it again.
CREATE TABLE saved_views (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Null: of somebody who administers the installation, about all organizations.
  organization_id uuid,
  owner_id uuid NOT NULL,
  -- Which list.
  list text NOT NULL,
  name text NOT NULL,
  -- The part of the address behind the question mark.
  search jsonb NOT NULL,
  -- Everybody of the organization who may open the list sees it.
  shared boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT saved_views_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT saved_views_owner_id_users_id_fk FOREIGN KEY (owner_id) REFERENCES users (id),
  CONSTRAINT saved_views_list_word CHECK (list IN (
    'users', 'groups', 'organizations', 'content', 'transmissions', 'training', 'removed', 'viewers', 'quiz-people',
    'account-user-activity', 'user-engagement', 'account-activity', 'message-analytics', 'quiz-metrics'))
);
CREATE INDEX saved_views_of_list ON saved_views (organization_id, list);
CREATE UNIQUE INDEX saved_views_name ON saved_views (owner_id, coalesce(organization_id, owner_id), list, lower(name));
SELECT add_tenant_policy('saved_views', 'organization_id');

-- What somebody does not want to be told of for a while; more of it than `count` is told all the same.
CREATE TABLE hidden_attention (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Null: over all organizations, by somebody who administers the installation.
  organization_id uuid,
  owner_id uuid NOT NULL,
  kind text NOT NULL,
  -- How many there were.
  count integer NOT NULL,
  until timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT hidden_attention_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT hidden_attention_owner_id_users_id_fk FOREIGN KEY (owner_id) REFERENCES users (id) ON DELETE CASCADE,
  CONSTRAINT hidden_attention_kind_word CHECK (kind IN (
    'paused_transmissions', 'failing_senders', 'failed_mails', 'organizations_without_admin', 'pending_approvals', 'failed_videos',
    'failed_operations', 'returned_messages', 'overdue_people', 'failed_invitations', 'expiring_invitations', 'dormant_admins',
    'groups_without_groupadmin', 'barred_addresses', 'people_without_group'))
);
CREATE UNIQUE INDEX hidden_attention_once ON hidden_attention (owner_id, coalesce(organization_id, owner_id), kind);
SELECT add_tenant_policy('hidden_attention', 'organization_id');

-- Logos and faces, small and made anew by the product. The key is what opens one, so that pages and mails can show it.
CREATE TABLE pictures (
  key text PRIMARY KEY,
  -- Null: the face of somebody who administers the installation.
  organization_id uuid,
  type text NOT NULL,
  data bytea NOT NULL,
  width integer NOT NULL,
  height integer NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT pictures_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT pictures_type_word CHECK (type IN ('image/png', 'image/webp', 'image/jpeg'))
);
CREATE INDEX pictures_of_organization ON pictures (organization_id);
SELECT add_tenant_policy('pictures', 'organization_id');
