import { zoneText } from '#contract/platform/text/time-zones.ts'
import { formatNumber } from '#web/ui/format.ts'
import { PlainTable } from '#web/ui/table/PlainTable.tsx'
import { DateTime } from '#web/ui/Time.tsx'

type Zone = { timeZone: string; people: number; at: string; isPast?: boolean }

/** Shows how many people get it at which time, where it leaves at an hour of their own. Times are by the clock of the reader. */
export function Zones({ zones }: { zones: readonly Zone[] }) {
  return (
    <PlainTable name="Time zones" heads={['Time zone', 'People', 'Leaves, by your clock']}>
      {zones.map(({ timeZone, people, at, isPast = false }) => (
        <tr key={`${timeZone} ${at}`}>
          <th scope="row">{zoneText(timeZone)}</th>
          <td data-label="People">{formatNumber(people)}</td>
          <td data-label="Leaves, by your clock">
            {isPast ? 'At once: the hour has passed there' : <DateTime iso={at} />}
          </td>
        </tr>
      ))}
    </PlainTable>
  )
}
