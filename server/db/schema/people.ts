import { createdAt, id, instant, updatedAt } from '../columns.ts'
import type { Policies } from '#contract/organizations.ts'
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
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
    state: text({ enum: ['active', 'suspended', 'archived'] })
      .notNull()
      .default('active'),
    policies: jsonb().$type<Policies>().notNull(),
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
    index('organizations_search').using('gin', sql`lower(${t.name}) gin_trgm_ops`),
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
    role: text({ enum: ['superadmin', 'admin', 'groupadmin'] }),
    state: text({ enum: ['invited', 'active', 'disabled', 'deleted'] })
      .notNull()
      .default('active'),
    phone: text(),
    externalId: text(),
    customFields: jsonb().$type<Record<string, string>>().notNull().default({}),
    locale: text(),
    passwordHash: text(),
    passwordChangedAt: instant(),
    /** The next sign-in has to choose another password. */
    passwordExpired: text({ enum: ['breached', 'reset_by_admin'] }),
    /** The owner wants the account gone; until then signing in keeps it. */
    deleteAfter: instant(),
    /** What the search box looks through. */
    search: text().generatedAlwaysAs(sql`lower(name || ' ' || email)`),
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
    uniqueIndex('users_email_of_role')
      .on(t.email)
      .where(sql`role is not null and deleted_at is null`),
    uniqueIndex('users_external_id')
      .on(t.organizationId, t.externalId)
      .where(sql`external_id is not null and deleted_at is null`),
    index('users_by_name')
      .on(t.organizationId, sql`lower(${t.name})`, t.id)
      .where(sql`deleted_at is null`),
    index('users_newest')
      .on(t.organizationId, t.createdAt, t.id)
      .where(sql`deleted_at is null`),
    index('users_search').using('gin', t.organizationId, sql`${t.search} gin_trgm_ops`),
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
    kind: text({ enum: ['static', 'rule'] })
      .notNull()
      .default('static'),
    rule: jsonb(),
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
    index('groups_search').using('gin', t.organizationId, sql`lower(${t.name}) gin_trgm_ops`),
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
  ],
)
