import { useQuery } from '@tanstack/react-query'
import type { Reply } from '#contract/endpoint.ts'
import { language } from '#contract/platform/text/language.ts'
import { readTransmissionPlan, type Transmission } from '#contract/transmissions/transmissions.ts'
import { sentence } from '#web/api/errors.ts'
import { formatPosition } from '#web/quizzes/position.ts'
import { queryOf } from '#web/api/query.ts'
import { useUser } from '#web/session/useSession.ts'
import { plural } from '#web/ui/format.ts'
import columns from '#web/ui/table/columns.module.css'
import { Facts } from '#web/ui/fields/Field.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { Counted } from '../compose/audience/AudienceCount.tsx'
import mail from '../compose/preview/MailPreview.module.css'
import { Mail } from '../compose/preview/MailPreview.tsx'
import { approverText, followUpLabels } from '../labels.ts'
import { wavesText } from '../waves.ts'
import classes from '../compose/audience/AudienceCount.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Plan = Reply<typeof readTransmissionPlan>

/** These are the milliseconds between two counts while somebody decides, and until the count is of the version on the page. */
const calm = 5_000
const behind = 500

export function usePlan({ id, version }: Transmission) {
  return useQuery({
    ...queryOf(readTransmissionPlan, { params: { transmissionId: id } }),
    refetchInterval: ({ state }) => (state.data?.version === version ? calm : behind),
  })
}

/** Shows what has not been sent: how far its approval is, whom it would reach by now, and the mail. */
export function Planned({ transmission }: { transmission: Transmission }) {
  const { data: plan, error } = usePlan(transmission)
  if (error && !plan)
    return (
      <Notice tone="danger" role="alert">
        {sentence(error)}
      </Notice>
    )
  return (
    <>
      <Approval transmission={transmission} plan={plan} />
      <div className={columns.even}>
        <section aria-labelledby="planned-whom" className={shapes.stack}>
          <h2 id="planned-whom">Who gets it</h2>
          <div className={`${shapes.card} ${shapes.pad} ${shapes.stack}`}>
            {plan ? <Whom plan={plan} transmission={transmission} /> : <Bone height={120} />}
          </div>
        </section>
        <section aria-labelledby="planned-mail" className={shapes.stack}>
          <h2 id="planned-mail">What they get</h2>
          <div className={`${shapes.card} ${mail.mail}`}>
            {plan?.mail && <Mail {...plan.mail} />}
            {plan?.mail === null && <p className={shapes.missing}>The video cannot be sent any more.</p>}
            {!plan && <Bone height={360} />}
          </div>
        </section>
      </div>
    </>
  )
}

function Whom({ plan, transmission }: { plan: Plan; transmission: Transmission }) {
  const { follows, waves, outsideHours, inOwnZones } = transmission
  const { everyone, people, groups, exceptPeople, exceptGroups, count } = plan
  const lines: [string, string][] = [
    ['Chosen', everyone ? 'Everybody in the organization' : ''],
    ['Chosen', follows ? `Of “${follows.subject}”: ${followUpLabels[follows.part]}` : ''],
    ['Groups', namesOf(groups)],
    ['Of these', plan.viewing ? viewingText(plan.viewing) : ''],
    ['People', namesOf(people)],
    ['Except groups', namesOf(exceptGroups)],
    ['Except people', namesOf(exceptPeople)],
    ['Waves', waves ? wavesText(waves) : ''],
    ['Time zones', inOwnZones ? 'At its hour in each person’s own time zone' : ''],
    ['Hours', outsideHours ? 'Also outside the hours of the organization' : ''],
  ]
  return (
    <>
      <Facts facts={lines.filter(([, names]) => names !== '').map(([label, value]) => ({ label, value }))} />
      <div className={classes.count} role="status">
        <Counted {...count} />
      </div>
    </>
  )
}

function viewingText({ viewing, title, question }: NonNullable<Plan['viewing']>): string {
  switch (viewing.kind) {
    case 'not_completed':
      return `Only who has not completed “${title}”`
    case 'late':
      return `Only who is late with “${title}”`
    case 'not_seen':
      return `Only who has not seen ${formatPosition(viewing.fromMs)} to ${formatPosition(viewing.toMs)} of “${title}”`
    case 'answered_wrongly':
      return `Only who answered “${question ?? ''}” of “${title}” wrongly`
  }
}

const mostNames = 12

function namesOf(named: Plan['people']): string {
  const names = named.slice(0, mostNames).map(({ name }) => name)
  const more = named.length - names.length
  return new Intl.ListFormat(language).format(more > 0 ? [...names, `${more} more`] : names)
}

/** Says where the approval stands, and what that means for the reader. */
function Approval({ transmission, plan }: { transmission: Transmission; plan: Plan | undefined }) {
  const { approval, state, sender } = transmission
  const isAuthor = useUser().id === sender.id
  if (approval?.state === 'rejected' && state === 'draft')
    return (
      <Notice role="status" tone="danger">
        <strong>{approval.decidedBy ?? 'Somebody'} rejected it</strong>{' '}
        {approval.decidedAt && <RelativeTime iso={approval.decidedAt} />}: “{approval.reason}”
        {isAuthor && ' Edit it and ask again, or discard it.'}
      </Notice>
    )
  if (approval?.state !== 'waiting' || state === 'draft') return null
  const who = plan && approverText(plan.approvers)
  const now = plan?.count.recipients ?? approval.askedFor
  return (
    <Notice role="status" tone="warning">
      <strong>
        Approval was asked for {plural(approval.askedFor, 'recipient')} on <DateTime iso={approval.askedAt} />
        .
      </strong>
      {now !== approval.askedFor && ` It reaches ${plural(now, 'person', 'people')} by now.`}{' '}
      {isAuthor
        ? `You wrote it, so somebody else has to decide${who ? `: ${who}` : ''}.`
        : `${sender.name} wrote it. Nothing is sent until you or somebody else approves it.`}
      {who === null && ' Nobody can at the moment: another administrator is needed.'}
    </Notice>
  )
}
