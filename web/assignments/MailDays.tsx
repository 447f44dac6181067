import { useState } from 'react'
import type { previewAssignment } from '#contract/assignments/assignment-preview.ts'
import type { Reply } from '#contract/endpoint.ts'
import { formatDay, formatNumber, plural } from '#web/ui/format.ts'
import { PlotTable } from '#web/ui/plot/PlotTable.tsx'
import { SmallPlot } from '#web/ui/plot/SmallPlot.tsx'
import shapes from '#web/ui/shapes.module.css'

type Props = { mails: Reply<typeof previewAssignment>['mails'] }

/** How many mails leave on each of the next 30 days if nobody watched; whoever is done gets none of the later ones. */
export function MailDays({ mails }: Props) {
  const place = useState<number | null>(null)
  const sum = mails.reduce((all, { count }) => all + count, 0)
  const words = (at: number) => {
    const { day, count } = mails[at] ?? { day: '', count: 0 }
    return `${formatDay(day)}: ${plural(count, 'mail')}`
  }
  if (sum === 0) return null
  const [chosen] = place
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="mail-days">
      <h2 id="mail-days">The next 30 days</h2>
      <p>
        {plural(sum, 'mail leaves', 'mails leave')} if nobody watches; whoever has completed it gets none of
        the later ones.
      </p>
      <SmallPlot
        name="Mails per day"
        steps={mails.map(({ count }) => ({ value: count, before: 0 }))}
        describe={words}
        format={formatNumber}
        place={place}
      />
      <p>{words(chosen ?? 0)}</p>
      <PlotTable
        name="Mails per day"
        heads={['Day', 'Mails']}
        rows={mails
          .filter(({ count }) => count > 0)
          .map(({ day, count }) => [formatDay(day), formatNumber(count)])}
      />
    </section>
  )
}
