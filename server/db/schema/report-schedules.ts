import { createdAt, id, instant, updatedAt } from '../columns.ts'
import { fileFormats } from '#contract/file-formats.ts'
import {
  pauseReasons,
  reportNames,
  rhythms,
  schedulePeriods,
  type ScheduledView,
} from '#contract/report-schedules.ts'
import { check, index, integer, jsonb, pgTable, sql, text, uuid } from '../drizzle.ts'
import { organizations, users } from './people.ts'

/** Reports that somebody has sent to themselves again and again. */
export const reportSchedules = pgTable(
  'report_schedules',
  {
    id: id(),
    /** Whose figures; null: all organizations together, for superadmins only. */
    organizationId: uuid().references(() => organizations.id),
    ownerId: uuid()
      .notNull()
      .references(() => users.id),
    report: text({ enum: reportNames }).notNull(),
    view: jsonb().$type<ScheduledView>().notNull(),
    period: text({ enum: schedulePeriods }).notNull(),
    rhythm: text({ enum: rhythms }).notNull(),
    /** 1 is Monday; counts for weekly ones only, as `monthDay` does for monthly ones. */
    weekday: integer().notNull(),
    monthDay: integer().notNull(),
    hour: integer().notNull(),
    /** That of the organization when `nextAt` was worked out. */
    timeZone: text().notNull(),
    formats: text({ enum: fileFormats }).array().notNull(),
    state: text({ enum: ['active', 'paused'] })
      .notNull()
      .default('active'),
    pauseReason: text({ enum: pauseReasons }),
    /** The slot that comes next. Whoever sends moves it on in the transaction that queues the mail, so that no slot is used twice. */
    nextAt: instant().notNull(),
    /** After a fault: when the same slot is tried again, and how often it was. */
    retryAt: instant(),
    tries: integer().notNull().default(0),
    lastSentAt: instant(),
    /** The mail of that; its state tells whether it left. */
    lastMailId: uuid(),
    /** When the report of a slot could last not be worked out; null since one could. */
    faultAt: instant(),
    createdAt: createdAt(),
    /** Of what people decide; sending leaves it alone. */
    updatedAt: updatedAt(),
  },
  (t) => [
    index('report_schedules_due')
      .on(sql`(case when ${t.retryAt} is null then ${t.nextAt} else ${t.retryAt} end)`)
      .where(sql`state = 'active'`),
    index('report_schedules_of_owner').on(t.ownerId, t.createdAt, t.id),
    index('report_schedules_of_organization').on(t.organizationId, t.createdAt, t.id),
    check('report_schedules_paused', sql`(${t.state} = 'paused') = (${t.pauseReason} is not null)`),
  ],
)
