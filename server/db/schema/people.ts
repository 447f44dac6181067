import { bytes, createdAt, id, instant, updatedAt } from '../columns.ts'
import { attentionKinds } from '#contract/attention.ts'
import { fieldTypes } from '#contract/fields.ts'
import { groupKinds } from '#contract/groups.ts'
import { membershipCauses } from '#contract/membership.ts'
import { organizationStates, type Policies } from '#contract/organizations.ts'
import { membershipChanges } from '#contract/person.ts'
import { roles } from '#contract/roles.ts'
import type { GroupRule } from '#contract/rules.ts'
import { userStates } from '#contract/users.ts'
import { viewedLists } from '#contract/views.ts'
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'

export const organizations = pgTable(
  'organizations',
  {
    id: id(),
    name: text().notNull(),
    slug: text().notNull(),
    domain: text(),
    timeZone: text().notNull().default('UTC'),
    state: text({ enum: organizationStates }).notNull().default('active'),
    policies: jsonb().$type<Policies>().notNull(),
    /** Key of the picture. */
    logo: text(),
    /** Kept by triggers, so that an unfiltered list never counts. */
    userCount: bigint({ mode: 'number' }).notNull().default(0),
    groupCount: bigint({ mode: 'number' }).notNull().default(0),
    videoCount: bigint({ mode: 'number' }).notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: instant(),
  },
  (t) => [
    uniqueIndex('organizations_slug')
      .on(t.slug)
      .where(sql`deleted_at is null`),
    index('organizations_name').on(sql`lower(${t.name})`, t.id),
    index('organizations_search').using('gin', sql`fold_text(${t.name}) gin_trgm_ops`),
    index('organizations_slips').using('gin', sql`slip_keys(fold_text(${t.name}))`),
    index('organizations_beginning').on(sql`fold_text(${t.name}) text_pattern_ops`),
    // What belongs to these is found by nobody.
    index('organizations_removed')
      .on(t.id)
      .where(sql`deleted_at is not null`),
    check('organizations_name_filled', sql`length(btrim(${t.name})) between 1 and 200`),
  ],
)

export const users = pgTable(
  'users',
  {
    id: id(),
    organizationId: uuid().references(() => organizations.id),
    name: text().notNull(),
    /** Stored in lower case; compared as it is. */
    email: text().notNull(),
    role: text({ enum: roles }),
    state: text({ enum: [...userStates, 'deleted'] })
      .notNull()
      .default('active'),
    phone: text(),
    externalId: text(),
    customFields: jsonb().$type<Record<string, string>>().notNull().default({}),
    /** Key of the picture. */
    avatar: text(),
    /** Since when the person has the present role; kept by a trigger. */
    roleSince: instant().notNull().defaultNow(),
    /** Details were taken away after the days of grace; what remains is a pseudonym. */
    erasedAt: instant(),
    locale: text(),
    passwordHash: text(),
    passwordChangedAt: instant(),
    /** The next sign-in has to choose another password. */
    passwordExpired: text({ enum: ['breached', 'reset_by_admin'] }),
    /** The owner wants the account gone; until then signing in keeps it. */
    deleteAfter: instant(),
    /** What the search box looks through. */
    search: text().generatedAlwaysAs(
      sql`fold_text(name || ' ' || email || ' ' || coalesce(external_id, ''))`,
    ),
    lastSeenAt: instant(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: instant(),
  },
  (t) => [
    unique('users_tenant').on(t.organizationId, t.id),
    uniqueIndex('users_email_in_organization')
      .on(t.organizationId, t.email)
      .where(sql`deleted_at is null`),
    // Only who has proved the mailbox has a password: what one organization writes about an address says nothing of another one.
    uniqueIndex('users_email_of_account')
      .on(t.email)
      .where(sql`password_hash is not null and role is not null and deleted_at is null`),
    uniqueIndex('users_external_id')
      .on(t.organizationId, t.externalId)
      .where(sql`external_id is not null and deleted_at is null`),
    index('users_removed_external_id')
      .on(t.organizationId, t.externalId)
      .where(sql`external_id is not null and deleted_at is not null`),
    index('users_removed')
      .on(t.organizationId, t.id)
      .where(sql`deleted_at is not null`),
    index('users_by_name')
      .on(t.organizationId, sql`lower(${t.name})`, t.id)
      .where(sql`deleted_at is null`),
    index('users_newest')
      .on(t.organizationId, t.createdAt, t.id)
      .where(sql`deleted_at is null`),
    // `case` and not `coalesce`, which behind row-level security would serve no condition. The plain column at the end lets the index
    // alone answer, without the rows.
    index('users_by_last_seen')
      .on(
        t.organizationId,
        sql`(case when ${t.lastSeenAt} is null then '-infinity' else ${t.lastSeenAt} end)`,
        t.id,
        t.lastSeenAt,
      )
      .where(sql`deleted_at is null`),
    index('users_by_state')
      .on(t.organizationId, t.state)
      .where(sql`deleted_at is null`),
    index('users_with_role')
      .on(t.organizationId, t.role)
      .where(sql`role is not null and deleted_at is null`),
    index('users_avatar')
      .on(t.avatar)
      .where(sql`avatar is not null`),
    index('users_custom_fields').using('gin', t.organizationId, sql`${t.customFields} jsonb_path_ops`),
    index('users_search').using('gin', t.organizationId, sql`${t.search} gin_trgm_ops`),
    // What the words are but for one slip: see server/db/similar.ts.
    index('users_slips').using('gin', t.organizationId, sql`slip_keys(${t.search})`),
    // What begins with some letters, in order, of one organization and of all: see server/search. An entry of an index has its limits.
    index('users_beginning')
      .on(t.organizationId, sql`left(${t.search}, 100) text_pattern_ops`)
      .where(sql`deleted_at is null`),
    index('users_beginning_anywhere')
      .on(sql`left(${t.search}, 100) text_pattern_ops`)
      .where(sql`deleted_at is null`),
    check('users_home', sql`(${t.organizationId} is null) = (${t.role} is not distinct from 'superadmin')`),
    check('users_email_lower', sql`${t.email} = lower(${t.email})`),
  ],
)

export const groups = pgTable(
  'groups',
  {
    id: id(),
    organizationId: uuid()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    description: text(),
    kind: text({ enum: groupKinds }).notNull().default('static'),
    rule: jsonb().$type<GroupRule>(),
    /** The rule is new or has slept: everybody has to be looked at. Kept by a trigger. */
    ruleStale: boolean().notNull().default(false),
    memberCount: bigint({ mode: 'number' }).notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: instant(),
  },
  (t) => [
    unique('groups_tenant').on(t.organizationId, t.id),
    uniqueIndex('groups_name')
      .on(t.organizationId, sql`lower(${t.name})`)
      .where(sql`deleted_at is null`),
    index('groups_by_rule')
      .on(t.organizationId)
      .where(sql`kind = 'rule' and deleted_at is null`),
    index('groups_stale')
      .on(t.organizationId)
      .where(sql`rule_stale`),
    check('groups_rule', sql`(${t.kind} = 'rule') = (${t.rule} is not null)`),
    index('groups_search').using('gin', t.organizationId, sql`fold_text(${t.name}) gin_trgm_ops`),
    index('groups_slips').using('gin', t.organizationId, sql`slip_keys(fold_text(${t.name}))`),
    index('groups_beginning')
      .on(t.organizationId, sql`fold_text(${t.name}) text_pattern_ops`)
      .where(sql`deleted_at is null`),
    index('groups_beginning_anywhere')
      .on(sql`fold_text(${t.name}) text_pattern_ops`)
      .where(sql`deleted_at is null`),
  ],
)

/** Both foreign keys carry the organization: a member of another tenant's group cannot be written. */
export const groupMembers = pgTable(
  'group_members',
  {
    organizationId: uuid().notNull(),
    groupId: uuid().notNull(),
    userId: uuid().notNull(),
    groupadmin: boolean().notNull().default(false),
    /** Present because the rule of the group says so; nobody put the person in by hand. */
    byRule: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.groupId, t.userId] }),
    foreignKey({
      name: 'group_members_group',
      columns: [t.organizationId, t.groupId],
      foreignColumns: [groups.organizationId, groups.id],
    }),
    foreignKey({
      name: 'group_members_user',
      columns: [t.organizationId, t.userId],
      foreignColumns: [users.organizationId, users.id],
    }),
    index('group_members_by_user').on(t.userId),
    index('group_members_groupadmins')
      .on(t.groupId, t.userId)
      .where(sql`groupadmin`),
  ],
)

/**
 * Every change of a membership, written by a trigger: whoever changes the table, by whatever way, is in it. The actor and the cause
 * come from the transaction.
 */
export const membershipLog = pgTable(
  'membership_log',
  {
    id: id(),
    organizationId: uuid().notNull(),
    groupId: uuid().notNull(),
    userId: uuid().notNull(),
    change: text({ enum: membershipChanges }).notNull(),
    cause: text({ enum: membershipCauses }).notNull(),
    /** Null: the product itself. */
    actorId: uuid(),
    createdAt: createdAt(),
  },
  (t) => [
    index('membership_log_by_group').on(t.groupId, t.createdAt, t.id),
    index('membership_log_by_user').on(t.userId, t.createdAt, t.id),
  ],
)

/**
 * People whose rule groups have to be worked out again; written by triggers. Each change is a line of its own, so that nobody who
 * writes one ever waits, and so that working out what one line says cannot take away what another says.
 */
export const membershipStale = pgTable(
  'membership_stale',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    organizationId: uuid().notNull(),
    userId: uuid().notNull(),
  },
  (t) => [index('membership_stale_in_order').on(t.organizationId, t.id)],
)

/** What an organization keeps about its people beyond the fields of the product; `users.custom_fields` holds the values by `key`. */
export const customFields = pgTable(
  'custom_fields',
  {
    id: id(),
    organizationId: uuid()
      .notNull()
      .references(() => organizations.id),
    key: text().notNull(),
    label: text().notNull(),
    type: text({ enum: fieldTypes }).notNull(),
    /** The choices of a field of type `choice`. */
    options: text()
      .array()
      .notNull()
      .default(sql`'{}'`),
    position: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: instant(),
  },
  (t) => [
    uniqueIndex('custom_fields_key')
      .on(t.organizationId, t.key)
      .where(sql`deleted_at is null`),
    uniqueIndex('custom_fields_label')
      .on(t.organizationId, sql`lower(${t.label})`)
      .where(sql`deleted_at is null`),
  ],
)

/** A list as somebody wants to see it again. */
export const savedViews = pgTable(
  'saved_views',
  {
    id: id(),
    /** Null: of somebody who administers the installation, about all organizations. */
    organizationId: uuid().references(() => organizations.id),
    ownerId: uuid()
      .notNull()
      .references(() => users.id),
    /** Which list. */
    list: text({ enum: viewedLists }).notNull(),
    name: text().notNull(),
    /** The part of the address behind the question mark. */
    search: jsonb().$type<Record<string, string>>().notNull(),
    /** Everybody of the organization who may open the list sees it. */
    shared: boolean().notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    index('saved_views_of_list').on(t.organizationId, t.list),
    uniqueIndex('saved_views_name').on(
      t.ownerId,
      sql`coalesce(${t.organizationId}, ${t.ownerId})`,
      t.list,
      sql`lower(${t.name})`,
    ),
  ],
)

/** What somebody does not want to be told of for a while; more of it than `count` is told all the same. */
export const hiddenAttention = pgTable(
  'hidden_attention',
  {
    id: id(),
    /** Null: over all organizations, by somebody who administers the installation. */
    organizationId: uuid().references(() => organizations.id),
    ownerId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text({ enum: attentionKinds }).notNull(),
    /** How many there were. */
    count: integer().notNull(),
    until: instant().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('hidden_attention_once').on(
      t.ownerId,
      sql`coalesce(${t.organizationId}, ${t.ownerId})`,
      t.kind,
    ),
  ],
)

/** Logos and faces, small and made anew by the product. The key is what opens one, so that pages and mails can show it. */
export const pictures = pgTable(
  'pictures',
  {
    key: text().primaryKey(),
    /** Null: the face of somebody who administers the installation. */
    organizationId: uuid().references(() => organizations.id),
    type: text({ enum: ['image/png', 'image/webp', 'image/jpeg'] }).notNull(),
    data: bytes().notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    createdAt: createdAt(),
  },
  (t) => [index('pictures_of_organization').on(t.organizationId)],
)
