import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { previewAssignment } from '#contract/assignments/assignment-preview.ts'
import { language } from '#contract/platform/text/language.ts'
import type { Reply } from '#contract/endpoint.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { isAnybodyChosen } from '#web/transmissions/compose/draft.ts'
import { useDebounced } from '#web/transmissions/compose/preview/usePreview.ts'
import { formatNumber, plural, formatDay } from '#web/ui/format.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { contentOf, missingIn, type Plan } from './form.ts'
import { useState } from 'react'
import { PlotTable } from '#web/ui/plot/PlotTable.tsx'
import { SmallPlot } from '#web/ui/plot/SmallPlot.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { plan: Plan; isRunning: boolean; ownId: string | null }

/** Says how many it would oblige, now or later, and how many of them would count as done at once. */
export function Obliged({ plan, isRunning, ownId }: Props) {
  const { videoId, audience, requirement, statement, countsSince, waitsForId, ...content } = contentOf(plan)
  const orgId = plan.draft.organizationId
  // While days are typed they may be wrong, and then people alone are counted. People whom it obliges already had some of the mails.
  const wrong = missingIn(plan).some(({ field }) => field === 'due' || field === 'reminders')
  const { due, reminders } = content
  const asked = {
    assignmentId: ownId,
    videoId,
    audience,
    requirement,
    statement,
    countsSince,
    waitsForId,
    ...(wrong || isRunning ? {} : { due, reminders }),
  }
  const { settled: body, isLate } = useDebounced(asked)
  const isChosen = isAnybodyChosen(plan.draft) && videoId !== '' && waitsForId !== ''
  const { data, error } = useQuery({
    queryKey: [previewAssignment.name, orgId, body],
    queryFn: ({ signal }) => call(previewAssignment, { params: { orgId }, body, signal }),
    enabled: orgId !== '' && isChosen && !isLate,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
  if (error) return <p role="status">{sentence(error)}</p>
  if (!data || !isChosen) return null
  const { people, done, withoutMail, overlaps, mails } = data
  const earlier = waitsForId === null ? null : plan.waitsFor
  return (
    <>
      <Notice tone="info" role="status">
        <strong>
          {earlier === null
            ? `${plural(people, 'person has', 'people have')} to see it.`
            : beginText(data, earlier.name)}
        </strong>{' '}
        {data.never > 0 && 'Choose them for that one too, or let this one begin at once. '}
        {done > 0 &&
          `${formatNumber(done)} of them have seen it in the time that counts and have completed it at once. `}
        {withoutMail > 0 && `${formatNumber(withoutMail)} cannot be sent a mail. `}
        {earlier === null && 'Whoever joins later is obliged from that day.'}
      </Notice>
      {overlaps.map((one) => (
        <Notice key={one.id} tone="info" role="status">
          {overlapText(one)}
        </Notice>
      ))}
      {mails.length > 0 && <MailDays mails={mails} />}
    </>
  )
}

type MailDaysProps = { mails: Reply<typeof previewAssignment>['mails'] }

/** Shows how many mails leave on each of the next 30 days if nobody watched. Whoever is done gets none of the later ones. */
function MailDays({ mails }: MailDaysProps) {
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

type Overlap = Reply<typeof previewAssignment>['overlaps'][number]

/** Names people whom another assignment asks for the same video. */
function overlapText({ name, people, names }: Overlap): string {
  const more = people - names.length
  const who = new Intl.ListFormat(language).format(
    more === 0 ? names : [...names, plural(more, 'other', 'others')],
  )
  return people === 1
    ? `${who} owes this video by “${name}” too, and gets one mail that names both days. The earlier day plans it.`
    : `${formatNumber(people)} of them owe this video by “${name}” too: ${who}. Each gets one mail that names both days. The earlier day plans it.`
}

/** Tells who begins when. Everybody is in exactly one part. */
export function beginText(found: Reply<typeof previewAssignment>, earlier: string): string {
  const people = plural(found.people, 'person', 'people')
  const now = plural(found.people - found.waiting - found.never, 'begins', 'begin')
  const later = formatNumber(found.waiting)
  if (found.never === 0) return `${people}: ${now} now, ${later} once they have completed “${earlier}”.`
  const never = formatNumber(found.never)
  return `${people}: ${now} now, ${later} once they have completed “${earlier}”, ${never} never would: they are not obliged by “${earlier}”.`
}
