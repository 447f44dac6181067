import { createdAt, id, instant, updatedAt } from '../columns.ts'
import { delimiters, type ImportChange, type ImportMapping, type ImportOptions } from '#contract/imports.ts'
import {
  operationKinds,
  operationStates,
  rowOutcomes,
  undoOutcomes,
  type RowOutcome,
  type UndoOutcome,
} from '#contract/operations.ts'
import { boolean, index, integer, jsonb, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'
import { organizations } from './people.ts'

/**
 * What changes many things at once, or what can be taken back: one line with its progress, and one row for each thing that is
 * changed. Both are written in the transaction of the change itself.
 */
export const operations = pgTable(
  'operations',
  {
    id: id(),
    /** Null: organizations themselves are changed, by somebody who administers the installation. */
    organizationId: uuid().references(() => organizations.id),
    kind: text({ enum: operationKinds }).notNull(),
    state: text({ enum: operationStates }).notNull(),
    /** What is to be done, as the kind defines it. */
    params: jsonb().notNull().default({}),
    total: integer().notNull().default(0),
    /** Rows that have an outcome; while undoing, rows that have been taken back or could not be. */
    done: integer().notNull().default(0),
    /** Outcome to number of rows. */
    counts: jsonb().$type<Partial<Record<RowOutcome, number>>>().notNull().default({}),
    undoCounts: jsonb().$type<Partial<Record<UndoOutcome, number>>>().notNull().default({}),
    error: text(),
    createdBy: uuid(),
    createdByName: text().notNull(),
    startedAt: instant(),
    finishedAt: instant(),
    /** Until when it can be taken back; null when it never can. */
    undoUntil: instant(),
    undoneAt: instant(),
    undoneBy: uuid(),
    undoneByName: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    index('operations_newest').on(t.organizationId, t.createdAt, t.id),
    index('operations_by_person').on(t.createdBy, t.createdAt),
    index('operations_at_work')
      .on(t.state)
      .where(sql`state in ('queued', 'running', 'cancelling', 'undoing')`),
  ],
)

export const operationRows = pgTable(
  'operation_rows',
  {
    operationId: uuid()
      .notNull()
      .references(() => operations.id, { onDelete: 'cascade' }),
    organizationId: uuid(),
    /** From 1; the line of an imported file below its header. */
    position: integer().notNull(),
    entity: text({
      enum: ['user', 'group', 'organization', 'member', 'waiver', 'video', 'transmission'],
    }).notNull(),
    entityId: uuid(),
    /** The second part of the key of a membership: its group. */
    groupId: uuid(),
    /** The name at that time, for people who look later. */
    label: text().notNull(),
    /** What was given for this row, such as the fields of an imported line. */
    input: jsonb(),
    /** Null until the row has been worked on. */
    outcome: text({ enum: rowOutcomes }),
    /** A code of why not, or why so. */
    reason: text(),
    /** What is needed to take the change back. */
    before: jsonb(),
    /** What the change left behind: undo leaves alone what is different by then. */
    after: jsonb(),
    undo: text({ enum: undoOutcomes }),
  },
  (t) => [
    primaryKey({ columns: [t.operationId, t.position] }),
    index('operation_rows_by_entity').on(t.entityId),
    index('operation_rows_by_outcome').on(t.operationId, t.outcome, t.position),
  ],
)

/** A file of people on its way into the organization; its operation has kind `users.import`. */
export const imports = pgTable('imports', {
  operationId: uuid()
    .primaryKey()
    .references(() => operations.id, { onDelete: 'cascade' }),
  organizationId: uuid()
    .notNull()
    .references(() => organizations.id),
  fileName: text().notNull(),
  delimiter: text({ enum: delimiters }).notNull(),
  header: text().array().notNull(),
  /** How many rows have fewer or more cells than the header, and the first of them; counted from 1 below the header. */
  ragged: integer().notNull().default(0),
  raggedRows: integer()
    .array()
    .notNull()
    .default(sql`'{}'`),
  mapping: jsonb().$type<ImportMapping>().notNull().default({}),
  options: jsonb().$type<ImportOptions>().notNull(),
})

/** What the rehearsal says about each row of a file; the cells themselves are the input of the operation's rows. */
export const importRows = pgTable(
  'import_rows',
  {
    operationId: uuid()
      .notNull()
      .references(() => operations.id, { onDelete: 'cascade' }),
    organizationId: uuid().notNull(),
    position: integer().notNull(),
    outcome: text({ enum: rowOutcomes }).notNull(),
    reason: text(),
    label: text().notNull(),
    /** Who is there already. */
    userId: uuid(),
    /** Null where the row is not to be imported: then a later one with the same email may be. */
    email: text(),
    externalId: text(),
    givesRole: boolean().notNull().default(false),
    changes: jsonb().$type<ImportChange[]>().notNull().default([]),
  },
  (t) => [
    primaryKey({ columns: [t.operationId, t.position] }),
    index('import_rows_by_outcome').on(t.operationId, t.outcome, t.position),
    index('import_rows_by_email').on(t.operationId, t.email),
    index('import_rows_by_external_id').on(t.operationId, t.externalId),
    index('import_rows_by_user').on(t.operationId, t.userId),
  ],
)
