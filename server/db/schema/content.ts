import { failureCodes, videoPrivacies, videoStates } from '#contract/videos.ts'
import { createdAt, id, instant, updatedAt } from '../columns.ts'
import {
  bigint,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { organizations } from './people.ts'

export const projects = pgTable(
  'projects',
  {
    id: id(),
    organizationId: uuid()
      .notNull()
      .references(() => organizations.id),
    parentId: uuid(),
    name: text().notNull(),
    position: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: instant(),
  },
  (t) => [
    unique('projects_tenant').on(t.organizationId, t.id),
    foreignKey({
      name: 'projects_parent',
      columns: [t.organizationId, t.parentId],
      foreignColumns: [t.organizationId, t.id],
    }),
    uniqueIndex('projects_name')
      .on(
        t.organizationId,
        sql`coalesce(${t.parentId}, '00000000-0000-0000-0000-000000000000'::uuid)`,
        sql`lower(${t.name})`,
      )
      .where(sql`deleted_at is null`),
  ],
)

export const videos = pgTable(
  'videos',
  {
    id: id(),
    organizationId: uuid()
      .notNull()
      .references(() => organizations.id),
    projectId: uuid(),
    title: text().notNull(),
    description: text(),
    tags: text().array().notNull().default([]),
    state: text({ enum: videoStates }).notNull().default('uploading'),
    /** 0 to 1 of the present step. */
    progress: doublePrecision().notNull().default(0),
    failure: text({ enum: failureCodes }),
    privacy: text({ enum: videoPrivacies }).notNull().default('link'),
    /** The version that plays; stays while a newer one is processed. */
    currentVersionId: uuid(),
    /** Length in milliseconds of the version that plays, 0 without one; kept by a trigger, for the order of lists. */
    lengthMs: doublePrecision().notNull().default(0),
    createdBy: uuid(),
    search: text().generatedAlwaysAs(sql`fold_text(title || ' ' || coalesce(description, ''))`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: instant(),
  },
  (t) => [
    unique('videos_tenant').on(t.organizationId, t.id),
    foreignKey({
      name: 'videos_project',
      columns: [t.organizationId, t.projectId],
      foreignColumns: [projects.organizationId, projects.id],
    }),
    index('videos_newest').on(t.organizationId, sql`${t.createdAt} desc`, sql`${t.id} desc`),
    index('videos_by_title')
      .on(t.organizationId, sql`lower(${t.title})`, t.id)
      .where(sql`deleted_at is null`),
    index('videos_by_length')
      .on(t.organizationId, t.lengthMs, t.id)
      .where(sql`deleted_at is null`),
    index('videos_search').using('gin', t.organizationId, sql`${t.search} gin_trgm_ops`),
    index('videos_slips').using('gin', t.organizationId, sql`slip_keys(fold_text(${t.title}))`),
    index('videos_beginning')
      .on(t.organizationId, sql`left(${t.search}, 100) text_pattern_ops`)
      .where(sql`deleted_at is null`),
    index('videos_beginning_anywhere')
      .on(sql`left(${t.search}, 100) text_pattern_ops`)
      .where(sql`deleted_at is null`),
  ],
)

export type RenditionRow = { name: string; width: number; height: number; bitrate: number; codecs: string }
export type StoryboardRow = {
  file: string
  tileWidth: number
  tileHeight: number
  intervalMs: number
  sheets: string[]
}

/** Immutable once `readyAt` is set; evidence refers to a version. */
export const videoVersions = pgTable(
  'video_versions',
  {
    id: id(),
    organizationId: uuid().notNull(),
    videoId: uuid().notNull(),
    number: integer().notNull(),
    fileName: text().notNull(),
    /** Bytes announced; the upload is complete when `receivedBytes` equals it. */
    size: bigint({ mode: 'number' }).notNull(),
    receivedBytes: bigint({ mode: 'number' }).notNull().default(0),
    uploadedAt: instant(),
    durationMs: integer(),
    width: integer(),
    height: integer(),
    probe: jsonb(),
    renditions: jsonb().$type<RenditionRow[]>(),
    storyboard: jsonb().$type<StoryboardRow>(),
    poster: text(),
    posterSmall: text(),
    readyAt: instant(),
    failure: text({ enum: failureCodes }),
    createdAt: createdAt(),
  },
  (t) => [
    unique('video_versions_tenant').on(t.organizationId, t.id),
    unique('video_versions_number').on(t.videoId, t.number),
    foreignKey({
      name: 'video_versions_video',
      columns: [t.organizationId, t.videoId],
      foreignColumns: [videos.organizationId, videos.id],
    }),
  ],
)
