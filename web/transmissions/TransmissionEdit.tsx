import { Button } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Reply } from '#contract/endpoint.ts'
import { clockIn, dayIn } from '#contract/time-zones.ts'
import {
  changeTransmission,
  editTransmission,
  listTransmissions,
  readTransmission,
  readTransmissionPlan,
  transmissionActions,
  type Transmission,
} from '#contract/transmissions.ts'
import { fetchFresh, useChange, useEndpoint } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { usePathParams, type LoadInput } from '#web/layout/page.ts'
import { useUser } from '#web/session/useSession.ts'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Composer } from './Composer.tsx'
import { draftViewingOf, editOf, type Draft } from './draft.ts'

export function load({ params: { transmissionId } }: LoadInput<'/transmissions/$transmissionId/edit'>) {
  const params = { transmissionId }
  return Promise.all([fetchFresh(readTransmission, { params }), fetchFresh(readTransmissionPlan, { params })])
}

type NamedList = Reply<typeof readTransmissionPlan>['people']
const choices = (named: NamedList) => named.map(({ id, name }) => ({ id, name, detail: '' }))

function startOf(transmission: Transmission, plan: Reply<typeof readTransmissionPlan>): Draft {
  const { organizationId, video, subject, body, follows, dueAt, linksEndAt, leavesAt, timeZone } =
    transmission
  return {
    organizationId,
    video: { id: video.id, title: video.title },
    subject,
    body,
    leaving: leavesAt ? clockIn(timeZone, leavesAt) : null,
    due: dueAt ? dayIn(timeZone, dueAt) : '',
    linksEnd: linksEndAt ? dayIn(timeZone, linksEndAt) : '',
    follows,
    everyone: plan.everyone,
    viewing: plan.viewing && draftViewingOf(plan.viewing),
    people: choices(plan.people),
    groups: choices(plan.groups),
    exceptPeople: choices(plan.exceptPeople),
    exceptGroups: choices(plan.exceptGroups),
  }
}

const touched = [readTransmission, readTransmissionPlan, listTransmissions]

/** Changes what has not been sent yet, by its author. */
export function TransmissionEdit() {
  const { transmissionId } = usePathParams('/transmissions/$transmissionId/edit')
  const params = { transmissionId }
  const transmission = useEndpoint(readTransmission, { params })
  const plan = useEndpoint(readTransmissionPlan, { params })
  const isAuthor = useUser().id === transmission.sender.id
  const { subject, state } = transmission
  return (
    <>
      <PageHead
        title={`Change “${subject}”`}
        lead={
          state === 'pending_approval'
            ? 'Its request for approval ends as soon as you save: an approval holds for what the approver has seen.'
            : 'Nothing of it has been sent.'
        }
        crumbs={[
          <Link key="all" to={paths.transmissions()}>
            Transmissions
          </Link>,
          <Link key="one" to={paths.transmission(transmissionId)}>
            {subject}
          </Link>,
        ]}
      />
      {isAuthor && transmissionActions.edit.some((one) => one === state) ? (
        <Editor transmission={transmission} start={startOf(transmission, plan)} />
      ) : (
        <EmptyState
          title={
            isAuthor ? 'Only what has not been sent yet can be changed.' : 'Only its author can change it.'
          }
          icon={<IconLock size={24} />}
          action={
            <Button variant="default" component={Link} to={paths.transmission(transmissionId)}>
              Back to the transmission
            </Button>
          }
        >
          {isAuthor ? 'Send a new one instead.' : 'You can reject it, with a reason that its author reads.'}
        </EmptyState>
      )}
    </>
  )
}

function Editor({ transmission, start }: { transmission: Transmission; start: Draft }) {
  const params = { transmissionId: transmission.id }
  const version = useRef(transmission.version)
  const edit = useChange(editTransmission, touched)
  const change = useChange(changeTransmission, touched)
  /** Another try after the second half has failed goes on from the version that the first half has made. */
  const keep = async (draft: Draft) => {
    const kept = await edit.mutateAsync({ params, body: editOf(draft, version.current) })
    version.current = kept.version
    return kept
  }
  const send = async (draft: Draft) => {
    await keep(draft)
    return change.mutateAsync({ params, body: { action: 'submit', version: version.current } })
  }
  return (
    <Composer
      start={start}
      storage={`transmission:${transmission.id}:${transmission.version}`}
      back={paths.transmission(transmission.id)}
      isOrganizationOpen={false}
      onSend={send}
      onKeep={keep}
    />
  )
}
