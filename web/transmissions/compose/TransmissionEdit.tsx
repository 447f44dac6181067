import { Button } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import type { Reply } from '#contract/endpoint.ts'
import { clockIn, dayIn } from '#contract/platform/text/time-zones.ts'
import {
  readTransmission,
  readTransmissionPlan,
  transmissionActions,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { fetchFresh, useEndpoint } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { usePathParams, type LoadInput } from '#web/layout/page.ts'
import { useUser } from '#web/session/useSession.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Composer } from './Composer.tsx'
import { draftViewingOf, type Draft, usualReminders } from './draft.ts'
import { nameOf } from '../labels.ts'
import { useKeepSaved, useSendSaved } from './useSendSaved.ts'

export function load({ params: { transmissionId } }: LoadInput<'/transmissions/$transmissionId/edit'>) {
  const params = { transmissionId }
  return Promise.all([fetchFresh(readTransmission, { params }), fetchFresh(readTransmissionPlan, { params })])
}

type NamedList = Reply<typeof readTransmissionPlan>['people']
const choices = (named: NamedList) => named.map(({ id, name }) => ({ id, name, detail: '' }))

function startOf(transmission: Transmission, plan: Reply<typeof readTransmissionPlan>): Draft {
  const {
    organizationId,
    video,
    subject,
    body,
    follows,
    dueAt,
    reminders,
    linksEndAt,
    leavesAt,
    waves,
    outsideHours,
    inOwnZones,
    timeZone,
  } = transmission
  return {
    organizationId,
    video: video && { id: video.id, title: video.title },
    subject,
    body,
    leaving: leavesAt ? { ...clockIn(timeZone, leavesAt), inOwnZones } : null,
    waves,
    outsideHours,
    due: dueAt ? dayIn(timeZone, dueAt) : '',
    reminders: dueAt ? reminders : usualReminders,
    linksEnd: linksEndAt ? dayIn(timeZone, linksEndAt) : '',
    follows,
    everyone: plan.everyone,
    channel: plan.channel,
    viewing: plan.viewing && draftViewingOf(plan.viewing),
    people: choices(plan.people),
    groups: choices(plan.groups),
    exceptPeople: choices(plan.exceptPeople),
    exceptGroups: choices(plan.exceptGroups),
  }
}

/** Lets its author change what has not been sent yet. */
export function TransmissionEdit() {
  const { transmissionId } = usePathParams('/transmissions/$transmissionId/edit')
  const params = { transmissionId }
  const transmission = useEndpoint(readTransmission, { params })
  const plan = useEndpoint(readTransmissionPlan, { params })
  const isAuthor = useUser().id === transmission.sender.id
  const { state } = transmission
  const isOpen = transmissionActions.edit.some((one) => one === state)
  const subject = nameOf(transmission)
  const head = {
    title: `Edit “${subject}”`,
    lead:
      state === 'pending_approval'
        ? 'Its request for approval ends as soon as you save: an approval holds for what the approver has seen.'
        : isOpen
          ? 'Nothing of it has been sent.'
          : '',
    crumbs: [
      <Link key="all" to={paths.transmissions()}>
        Transmissions
      </Link>,
      <Link key="one" to={paths.transmission(transmissionId)}>
        {subject}
      </Link>,
    ],
  }
  if (isAuthor && isOpen)
    return <Editor head={head} transmission={transmission} start={startOf(transmission, plan)} />
  return (
    <>
      <PageHead {...head} />
      <EmptyState
        title={isOpen ? 'Only its author can edit it.' : 'Only what has not been sent yet can be changed.'}
        icon={<IconLock size={24} />}
        action={
          <Button variant="default" component={Link} to={paths.transmission(transmissionId)}>
            Back to the transmission
          </Button>
        }
      >
        {isOpen ? 'You can reject it, with a reason that its author reads.' : 'Send a new one instead.'}
      </EmptyState>
    </>
  )
}

type EditorProps = Pick<ComponentProps<typeof Composer>, 'head' | 'start'> & { transmission: Transmission }

function Editor({ head, transmission, start }: EditorProps) {
  const { id, version, organizationId, state } = transmission
  const keep = useKeepSaved()
  const send = useSendSaved()
  return (
    <Composer
      head={head}
      start={start}
      saved={{ id, version, organizationId }}
      back={paths.transmission(id)}
      isOrganizationOpen={false}
      onSend={send}
      // Saving ends a request for approval, and that happens to nobody while they type.
      onKeep={state === 'draft' ? undefined : keep}
    />
  )
}
