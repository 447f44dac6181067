import { useQuery } from '@tanstack/react-query'
import { Suspense, useMemo, useState, type ReactNode } from 'react'
import { readWeave, type Thread, type Weave as Cloth } from '#contract/audience/weave.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { queryOf, useList, useChange } from '#web/api/query.ts'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { PlotTable } from '#web/ui/plot/PlotTable.tsx'
import { formatNumber, formatStretch, plural } from '#web/ui/format.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { Field } from './Field.tsx'
import {
  countsAt,
  countsOf,
  countsOfParts,
  doesCount,
  lackingOf,
  mostLines,
  type Counts,
  type Part,
} from './lacking.ts'
import { usePlace } from './usePlace.ts'
import { lackingText, leastSeenText, rowText, apartText } from './words.ts'
import { Link, useNavigate } from '@tanstack/react-router'
import { paths } from '#web/paths.ts'
import styles from './Weave.module.css'
import { createDraft } from '#contract/transmissions/drafts.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { useBusy } from '#web/api/attempt.ts'
import { Button } from '@mantine/core'
import { IconBellRinging, IconPencil } from '@tabler/icons-react'

const Remind = dialogOnDemand(async () => (await import('#web/duty/Remind.tsx')).Remind)

type Of = {
  orgId: string
  videoId: string
  /** Its recipients alone. */
  transmissionId?: string
}
type Props = Of & {
  /** Beside the title. */
  actions?: ReactNode
  /** In place of what cannot be drawn: nothing plays, or nobody is there. */
  children?: ReactNode
}

/** The strips of all people as one cloth: how many lack a second, who they are, and a reminder for just these. */
export function Weave({ children, ...props }: Props) {
  const { page, error, retry } = useList(readWeave, addressOf(props))
  if (page) return page.weave && page.weave.people > 0 ? <Drawn {...props} weave={page.weave} /> : children
  return (
    <div className={`${shapes.card} ${shapes.pad}`}>
      <NotRead error={error} retry={retry} height={240} />
    </div>
  )
}

const addressOf = ({ videoId, transmissionId }: Omit<Of, 'orgId'>, part?: Part) => ({
  params: { videoId },
  query: { ...(transmissionId && { transmissionId }), ...part },
})

/** Of what is looked at; null while it is counted: of more people than have a row the browser does not know who lacks all of a part. */
function useCounts({ tenths }: Cloth, of: Of, { at, part, isDrawing, lacking }: Looking): Counts | null {
  const isAsked = tenths !== null && part !== null && !isDrawing
  const { data } = useQuery({ ...queryOf(readWeave, addressOf(of, part ?? undefined)), enabled: isAsked })
  if (!tenths) return lacking && countsOf(lacking)
  if (part === null) return at === null ? null : countsAt(tenths, at)
  const counts = isAsked && data?.weave?.part
  return counts ? { ...counts, done: 0, excused: 0 } : null
}

type Looking = Pick<ReturnType<typeof usePlace>, 'at' | 'part' | 'isDrawing'> & {
  lacking: readonly Thread[] | null
}
type Reminding = { part: Part; people: number }

const mostNamed = 12

type WhoProps = { orgId: string; videoId: string; people: readonly Thread[]; part: Part }

/** Those who lack what is chosen, each with the way to what they have seen. */
function Who({ orgId, videoId, people, part }: WhoProps) {
  if (people.length === 0) return null
  return (
    <ul className={`${shapes.row} ${styles.who}`} aria-label={`Who lacks ${formatStretch(part)}`}>
      {people.slice(0, mostNamed).map(({ userId, name }) => (
        <li key={userId}>
          <Link to={paths.evidence(orgId, userId, videoId)}>{name}</Link>
        </li>
      ))}
      {people.length > mostNamed && <li>and {formatNumber(people.length - mostNamed)} more</li>}
    </ul>
  )
}

type Whom = { orgId: string; videoId: string; userIds: string[]; part: Part }

const bodyAbout = (part: Part) => `Hello {{firstName|colleague}},

please watch ${formatStretch(part)} of the video “{{video}}”. Open it with the link in this message, so that it counts for you.

Thank you.`

/** Begins a message to whoever lacks a part and owes nothing of which they could be reminded; who has seen it until it leaves gets none. */
function useWrite() {
  const navigate = useNavigate()
  const begin = useChange(createDraft, [listTransmissions])
  const [isWriting, run] = useBusy()
  const write = ({ orgId, videoId, userIds, part }: Whom) =>
    void run(async () => {
      const seconds = { fromMs: part.from * 1_000, toMs: part.to * 1_000 }
      const audience = { userIds, viewing: { kind: 'not_seen' as const, videoId, ...seconds } }
      const body = { accountId: orgId, videoId, body: bodyAbout(part), audience }
      const { id } = await begin.mutateAsync({ body })
      await navigate({ to: paths.transmissionEdit(id) })
    })
  return { write, isWriting }
}

function Drawn({ weave, actions, ...of }: Omit<Props, 'children'> & { weave: Cloth }) {
  const { people, threads, tenths } = weave
  const [reminding, setReminding] = useState<Reminding | null>(null)
  const { write, isWriting } = useWrite()
  const place = usePlace(weave, act)
  const { looked, part } = place
  const lacking = useMemo(
    () => (looked && !tenths ? lackingOf(threads, looked) : null),
    [threads, tenths, looked],
  )
  const counts = useCounts(weave, of, { ...place, lacking })
  const table = useMemo(() => tableOf(weave), [weave])

  /** Of those who owe it; where nobody does, a message to just these. */
  function act(): void {
    if (!looked || !counts) return
    if (counts.owing > 0) return setReminding({ part: looked, people: counts.owing })
    const userIds = lacking?.filter(doesCount).map(({ userId }) => userId) ?? []
    if (userIds.length > 0) write({ orgId: of.orgId, videoId: of.videoId, userIds, part: looked })
  }

  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="weave-title">
      <header className={shapes.spaceBetween}>
        <h2 id="weave-title">Second by second</h2>
        {actions}
      </header>
      <p className={shapes.hint}>
        {rowText(weave)} {table.leastSeen}
      </p>
      <Field
        weave={weave}
        place={place}
        said={counts && looked && lackingText(counts, people, looked)}
        chosen={part && lacking}
      />
      <Reading
        {...{ looked, counts, people, isWriting }}
        isChosen={part !== null}
        isKnown={lacking !== null}
        onClear={place.clear}
        onAct={act}
      />
      {part && lacking && (
        <Who orgId={of.orgId} videoId={of.videoId} people={lacking.filter(doesCount)} part={part} />
      )}
      <PlotTable
        name="How many have not seen it"
        label="The figures behind the picture"
        heads={['Time', 'Have not seen it', 'Owe it']}
        rows={table.rows}
      />
      <Suspense>
        {reminding && (
          <Remind
            orgId={of.orgId}
            whom={{
              videoIds: [of.videoId],
              ...(of.transmissionId && { transmissionId: of.transmissionId }),
              part: reminding.part,
            }}
            people={reminding.people}
            onClose={() => setReminding(null)}
          />
        )}
      </Suspense>
    </section>
  )
}

type ReadingProps = {
  looked: Part | null
  /** Null while they are counted. */
  counts: Counts | null
  people: number
  /** It stays when the pointer leaves. */
  isChosen: boolean
  /** Who they are. */
  isKnown: boolean
  isWriting: boolean
  onClear: () => void
  onAct: () => void
}

/** What is looked at in words, and what can be done about it. */
function Reading({ looked, counts, people, isChosen, isKnown, isWriting, onClear, onAct }: ReadingProps) {
  return (
    <div className={`${shapes.spaceBetween} ${styles.reading}`} data-screen-only>
      <div>
        {!looked && <p>Point at a second. Draw over a part to choose who lacks it.</p>}
        {looked && !counts && <p>Counting who lacks {formatStretch(looked)}…</p>}
        {looked && counts && (
          <>
            <p>
              <strong>{lackingText(counts, people, looked)}</strong>
            </p>
            <p className={shapes.hint}>
              {apartText(counts)}{' '}
              {isChosen && counts.lacking > 0 && counts.owing === 0 && 'None of them owes it.'}
            </p>
          </>
        )}
      </div>
      {looked && isChosen && (
        <div className={shapes.row}>
          <Button variant="default" onClick={onClear}>
            Choose nothing
          </Button>
          {counts && counts.owing > 0 && (
            <Button leftSection={<IconBellRinging size={16} aria-hidden />} onClick={onAct}>
              Remind {plural(counts.owing, 'person', 'people')} about {formatStretch(looked)}
            </Button>
          )}
          {isKnown && counts && counts.lacking > 0 && counts.owing === 0 && (
            <Button leftSection={<IconPencil size={16} aria-hidden />} loading={isWriting} onClick={onAct}>
              Write to {plural(counts.lacking, 'person', 'people')} about {formatStretch(looked)}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

/** The same in figures, and where most people lack something. */
function tableOf(weave: Cloth) {
  const all = countsOfParts(weave)
  const worst = all.reduce((a, b) => (b.lacking > a.lacking ? b : a))
  return {
    leastSeen: leastSeenText(worst, weave.people, worst.part),
    rows: all
      .filter((_, at) => at % Math.ceil(all.length / mostLines) === 0)
      .map(({ part, lacking, owing }) => [formatStretch(part), formatNumber(lacking), formatNumber(owing)]),
  }
}
