import * as z from 'zod/mini'
import { mostChoices, reportSubjects, type ReportSubject } from '#contract/reports/report-scope.ts'
import { arrayOf, row, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, hasWords } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'

export const NamedSubject = z.object({ id: z.string(), name: z.string() })
export type NamedSubject = z.infer<typeof NamedSubject>
export type Subjects = Record<ReportSubject, NamedSubject | null>

/** Within which organization (null: all of them), and which groups' members are in sight. */
export type Visibility = { organization: NamedSubject | null; groupIds: readonly string[] | undefined }

const noSubjects: Subjects = { group: null, project: null, video: null, transmission: null }

/** Each kind of subject: its table, its name, and whether a row can still be chosen. Rows are `x`. */
const kinds = {
  group: { table: sql`groups x`, name: sql`x.name`, alive: sql`x.deleted_at is null` },
  project: { table: sql`projects x`, name: sql`x.name`, alive: sql`x.deleted_at is null` },
  video: { table: sql`videos x`, name: sql`x.title`, alive: sql`x.deleted_at is null` },
  transmission: { table: sql`transmissions x`, name: sql`message_name(x)`, alive: sql`x.state <> 'draft'` },
} as const

/** Condition on `x`: a groupadmin sees their groups, and what has to do with the members of these. */
function inSight(kind: ReportSubject, { organization, groupIds }: Visibility): SQL | undefined {
  if (!groupIds) return undefined
  const groups = arrayOf(groupIds, 'uuid')
  if (kind === 'group') return sql`x.id = any(${groups})`
  const mine = sql`(select m.user_id from group_members m where m.group_id = any(${groups}))`
  const sent = sql`select d.transmission_id from deliveries d where d.user_id in ${mine}`
  if (kind === 'transmission') return sql`x.id in (${sent})`
  const videos = sql`select w.video_id from viewer_videos w where w.organization_id = ${organization?.id ?? null} and w.user_id in ${mine}
    union select t.video_id from transmissions t where t.id in (${sent})`
  return kind === 'video'
    ? sql`x.id in (${videos})`
    : sql`x.id in (select v.project_id from videos v where v.id in (${videos}))`
}

function seenRows(kind: ReportSubject, visibility: Visibility): SQL {
  const owner = visibility.organization ? sql`x.organization_id = ${visibility.organization.id}` : undefined
  return all([owner, inSight(kind, visibility)])
}

/** JSON with the name of each subject whose id stands in a `view`; null where it is gone or out of sight. */
export function subjectNames(visibility: Visibility, view: SQL): SQL {
  const fields = reportSubjects.map((kind) => {
    const { table, name } = kinds[kind]
    const id = sql`(${view} ->> ${sql.raw(`'${kind}Id'`)})::uuid`
    return sql`${sql.raw(`'${kind}'`)}, (select ${name} from ${table} where ${all([sql`x.id = ${id}`, seenRows(kind, visibility)])})`
  })
  return sql`jsonb_build_object(${sql.join(fields, sql`, `)})`
}

type SubjectIds = Partial<Record<`${ReportSubject}Id`, string | undefined>>

const SubjectRow = z.extend(NamedSubject, { organizationId: z.string() })

/** What a report is narrowed to, and the organization that it belongs to. Refuses what is out of sight with `not_found`. */
export async function findSubjects(tx: Tx, visibility: Visibility, asked: SubjectIds) {
  const subjects = { ...noSubjects }
  const owners = new Set<string>()
  for (const kind of reportSubjects) {
    const id = asked[`${kind}Id`]
    if (id === undefined) continue
    const { table, name } = kinds[kind]
    const found = await row(
      tx,
      SubjectRow,
      sql`select x.id, ${name} as name, x.organization_id as "organizationId" from ${table} where ${all([sql`x.id = ${id}`, seenRows(kind, visibility)])}`,
    )
    if (!found) throw refuse('not_found')
    subjects[kind] = { id: found.id, name: found.name }
    owners.add(found.organizationId)
  }
  if (owners.size > 1) throw refuse('not_found')
  return { subjects, owner: [...owners][0] ?? null }
}

type ChoiceQuery = { of: ReportSubject; q?: string | undefined }
const Choice = z.extend(NamedSubject, { organizationName: z.string() })
type Choice = z.infer<typeof Choice>

/** What a report can be narrowed to, newest first where it has no order of its own. */
export async function choicesOf(tx: Tx, visibility: Visibility, { of, q }: ChoiceQuery): Promise<Choice[]> {
  const { table, name, alive } = kinds[of]
  const newest = { video: sql`x.created_at desc`, transmission: sql`x.dated_at desc` }
  const order = of === 'video' || of === 'transmission' ? newest[of] : sql`lower(${name})`
  const where = all([alive, seenRows(of, visibility), q && hasWords(sql`fold_text(${name})`, q)])
  return rows(
    tx,
    Choice,
    sql`select x.id, ${name} as name, o.name as "organizationName" from ${table}
      join organizations o on o.id = x.organization_id and o.deleted_at is null
      where ${where} order by ${order}, x.id limit ${mostChoices}`,
  )
}
