import { createdAt, id, instant } from '../columns.ts'
import { notificationKinds, type NotificationParams } from '#contract/notifications.ts'
import { boolean, index, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts'
import { organizations } from './people.ts'

/** What somebody is told of, written in the transaction of what happened. Gone after 90 days. */
export const notifications = pgTable(
  'notifications',
  {
    id: id(),
    /** Of the thing; null: about the installation. */
    organizationId: uuid().references(() => organizations.id),
    /** No reference: nothing may go wrong for the reason that nobody is there any more to be told. */
    userId: uuid().notNull(),
    kind: text({ enum: notificationKinds }).notNull(),
    entityId: uuid().notNull(),
    /** Which of the times that this has become of the thing: with it, telling twice tells once. */
    cause: text().notNull(),
    /** Told to an administrator as such, who did not do it: nothing for whoever is no administrator any more. */
    asAdmin: boolean().notNull().default(false),
    params: jsonb().$type<NotificationParams>().notNull().default({}),
    createdAt: createdAt(),
    readAt: instant(),
  },
  (t) => [
    uniqueIndex('notifications_once').on(t.userId, t.kind, t.entityId, t.cause),
    index('notifications_newest').on(t.userId, t.createdAt, t.id),
    index('notifications_unread')
      .on(t.userId)
      .where(sql`read_at is null`),
    // What was wanted of several people is done for all of them at once.
    index('notifications_wanted')
      .on(t.entityId)
      .where(sql`read_at is null`),
    index('notifications_age').on(t.createdAt),
  ],
)
