import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Reply } from '#contract/endpoint.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import {
  changeTransmission,
  listTransmissions,
  readTransmission,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { readWaves, type Wave } from '#contract/transmissions/waves.ts'
import { attempt } from '#web/api/attempt.ts'
import { queryOf, refreshAll, useChange } from '#web/api/query.ts'
import { formatNumber, plural } from '#web/ui/format.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { PlainTable } from '#web/ui/table/PlainTable.tsx'
import { ShareBar } from '#web/ui/figures/ShareBar.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { isActive } from '../labels.ts'
import { Zones } from '../Zones.tsx'
import { wavesText } from '../waves.ts'

const touched = [readTransmission, listTransmissions, listDeliveries, readWaves]
/** These are the milliseconds between two readings, while it leaves and while mails only come back. */
const lively = 2_000
const calm = 5_000

type Props = { transmission: Transmission }
type Found = Reply<typeof readWaves>

/** Shows how far a transmission is that leaves in waves, and what becomes of the next one. */
export function Waves({ transmission }: Props) {
  const { id, waves: plan } = transmission
  const { data } = useQuery({
    ...queryOf(readWaves, { params: { transmissionId: id } }),
    refetchInterval: isActive(transmission) ? lively : calm,
  })
  if (data && data.zones.length > 0)
    return (
      <section aria-labelledby="zones" className={shapes.stack} style={{ marginBlockEnd: 24 }}>
        <h2 id="zones">Who waits for their own hour</h2>
        <div className={`${shapes.card} ${shapes.pad}`}>
          <Zones zones={data.zones} />
        </div>
      </section>
    )
  if (plan === null || !data) return null
  return (
    <section aria-labelledby="waves" className={shapes.stack} style={{ marginBlockEnd: 24 }}>
      <h2 id="waves">Waves</h2>
      <p>{wavesText(plan)}</p>
      {transmission.state === 'sending' && data.waiting > 0 && (
        <Next transmission={transmission} found={data} />
      )}
      {data.waves.length > 0 && (
        <div className={`${shapes.card} ${shapes.pad} ${shapes.stack}`}>
          <ShareBar parts={partsOf(data)} total={totalOf(data)} />
          <PlainTable name="Waves" heads={['Wave', 'People', 'Began', 'Sent', 'Not arrived']}>
            {data.waves.map((wave) => (
              <WaveRow key={wave.number} wave={wave} />
            ))}
          </PlainTable>
          {data.waiting > 0 && <p>{plural(data.waiting, 'person waits', 'people wait')} for a later wave.</p>}
        </div>
      )}
    </section>
  )
}

function WaveRow({ wave: { number, people, begunAt, sent, troubled } }: { wave: Wave }) {
  return (
    <tr>
      <th scope="row">Wave {number}</th>
      <td data-label="People">{formatNumber(people)}</td>
      <td data-label="Began">
        <DateTime iso={begunAt} />
      </td>
      <td data-label="Sent">{formatNumber(sent)}</td>
      <td data-label="Not arrived">{formatNumber(troubled)}</td>
    </tr>
  )
}

const totalOf = ({ waves, waiting }: Found) => waves.reduce((sum, { people }) => sum + people, waiting)

/** Returns the parts of the bar. Neighbours differ, and what waits stays empty. */
const partsOf = ({ waves }: Found) =>
  waves.map(({ number, people, isTroubled }) => ({
    tone: isTroubled ? ('danger' as const) : number % 2 === 1 ? ('success' as const) : ('info' as const),
    value: people,
    label: `Wave ${number}: ${plural(people, 'person', 'people')}`,
  }))

/** Says when the next wave begins. Nobody has to wait for it, and anybody may stop it. */
function Next({ transmission, found: { waves, nextAt } }: Props & { found: Found }) {
  const { id, version, timeZone } = transmission
  const change = useChange(changeTransmission, touched)
  const act = async (action: 'next_wave' | 'pause', said: string) => {
    const isDone = await attempt(
      () => change.mutateAsync({ params: { transmissionId: id }, body: { action, version } }),
      said,
    )
    // Most likely it has begun in the meantime.
    if (!isDone) await refreshAll(touched)
  }
  return (
    <Notice
      tone="info"
      role="status"
      action={
        <div className={shapes.row}>
          {nextAt && (
            <Button
              variant="default"
              size="sm"
              disabled={change.isPending}
              onClick={() => void act('next_wave', 'The next wave begins.')}
            >
              Start the next wave now
            </Button>
          )}
          <Button
            variant="default"
            size="sm"
            disabled={change.isPending}
            onClick={() => void act('pause', 'Stopped. Nothing more is sent until you resume.')}
          >
            Stop
          </Button>
        </div>
      }
    >
      {nextAt ? (
        <>
          Wave {waves.length} has left. The next one begins on{' '}
          <time dateTime={nextAt}>{dueText(nextAt, timeZone)}</time>, unless too many mails of this one do not
          arrive.
        </>
      ) : waves.length === 0 ? (
        <>The first wave begins in a moment.</>
      ) : (
        <>Wave {waves.length} is leaving.</>
      )}
    </Notice>
  )
}
