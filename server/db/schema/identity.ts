import { bytes, createdAt, id, instant } from '../columns.ts'
import {
  boolean,
  index,
  inet,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { users } from './people.ts'

/** Opaque bearer tokens; only their SHA-256 is kept. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    userId: uuid()
      .notNull()
      .references(() => users.id),
    tokenHash: bytes().notNull(),
    createdAt: createdAt(),
    lastSeenAt: createdAt(),
    idleExpiresAt: instant().notNull(),
    expiresAt: instant().notNull(),
    reauthenticatedAt: instant(),
    lockedAt: instant(),
    revokedAt: instant(),
    /** Truncated to /24 or /48. */
    ipPrefix: inet(),
    userAgent: text(),
  },
  (t) => [uniqueIndex('sessions_token').on(t.tokenHash), index('sessions_by_user').on(t.userId)],
)

/** A started step (reset a password, confirm an address), bound to whoever asked for it. */
export const flows = pgTable(
  'flows',
  {
    id: id(),
    tokenHash: bytes().notNull(),
    purpose: text().notNull(),
    identifier: text().notNull(),
    /** Null when nobody has that address; the answer is the same. */
    userId: uuid().references(() => users.id),
    codeHash: bytes(),
    triesLeft: integer().notNull().default(5),
    verified: boolean().notNull().default(false),
    createdAt: createdAt(),
    expiresAt: instant().notNull(),
    usedAt: instant(),
  },
  (t) => [
    uniqueIndex('flows_token').on(t.tokenHash),
    index('flows_by_identifier').on(t.identifier, t.createdAt),
  ],
)

/** Counters of failed or costly attempts; keys are HMACs, so the table names nobody. */
export const attempts = pgTable(
  'attempts',
  {
    key: bytes().notNull(),
    windowStart: instant().notNull(),
    count: integer().notNull().default(0),
    blockedUntil: instant(),
  },
  (t) => [primaryKey({ columns: [t.key, t.windowStart] }), index('attempts_by_age').on(t.windowStart)],
)

/** The link that creates the first superadmin; at most one unused. */
export const setupLinks = pgTable('setup_links', {
  id: id(),
  tokenHash: bytes().notNull().unique(),
  createdAt: createdAt(),
  expiresAt: instant().notNull(),
  usedAt: instant(),
})

/** Answers of POSTs that carried an Idempotency-Key, for 24 hours. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    actorId: uuid().notNull(),
    route: text().notNull(),
    key: text().notNull(),
    bodyHash: bytes().notNull(),
    /** Null while the first request still runs. */
    status: integer(),
    reply: jsonb(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.actorId, t.route, t.key] }),
    index('idempotency_keys_by_age').on(t.createdAt),
  ],
)

export const audit = pgTable(
  'audit',
  {
    id: id(),
    organizationId: uuid(),
    actorId: uuid(),
    action: text().notNull(),
    entity: text().notNull(),
    entityId: uuid(),
    before: jsonb(),
    after: jsonb(),
    ipPrefix: inet(),
    requestId: text(),
    at: createdAt(),
  },
  (t) => [
    index('audit_by_entity').on(t.entity, t.entityId),
    index('audit_by_organization').on(t.organizationId, sql`${t.at} desc`),
  ],
)
