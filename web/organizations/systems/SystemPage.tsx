import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { readOrganization } from '#contract/directory/organizations.ts'
import {
  listEventAddresses,
  readEventAddress,
  removeEventAddress,
  rotateEventSecret,
  testEventAddress,
  type EventAddress,
} from '#contract/events/event-addresses.ts'
import { eventTypes } from '#contract/events/event-types.ts'
import type { Answered } from '#contract/transmissions/webhooks.ts'
import { attempt } from '#web/api/attempt.ts'
import { fetchFresh, prefetch, useChange, useEndpoint } from '#web/api/query.ts'
import { usePathParams, type LoadInput } from '#web/layout/page.ts'
import { paths } from '#web/paths.ts'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { plural } from '#web/ui/format.ts'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import { organizationCrumbs } from '../crumbs.tsx'
import {
  AddressState,
  answerWords,
  ReplaceSecret,
  Secret,
  Tried,
  type ReplaceSecretProps,
} from './Answers.tsx'
import { EventLog } from './EventLog.tsx'
import { eventsText } from './words.ts'
import shapes from '#web/ui/look/shapes.module.css'

const AddressDialog = dialogOnDemand(async () => (await import('./AddressDialog.tsx')).AddressDialog)
const ReplayDialog = dialogOnDemand(async () => (await import('./ReplayDialog.tsx')).ReplayDialog)

export function load({ params }: LoadInput<'/organizations/$orgId/systems/$eventAddressId'>) {
  const { orgId } = params
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    fetchFresh(readEventAddress, { params }),
  ])
}

/** One address for events: whether it takes them, and what was posted to it. */
export function SystemPage() {
  const params = usePathParams('/organizations/$orgId/systems/$eventAddressId')
  return <One key={params.eventAddressId} {...params} />
}

type Asked = 'change' | 'replay' | 'rotate' | 'remove'

function One(params: { orgId: string; eventAddressId: string }) {
  const { orgId } = params
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const address = useEndpoint(readEventAddress, { params })
  const [asks, setAsks] = useState<Asked | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [tried, setTried] = useState<Answered | null>(null)
  const trial = useChange(testEventAddress)
  const close = () => setAsks(null)
  const tryIt = () =>
    attempt(async () => {
      setTried(null)
      setTried(await trial.mutateAsync({ params, body: {} }))
    })
  return (
    <>
      <PageHead
        title={new URL(address.url).host}
        part="Events"
        lead={`Told of ${plural(address.types.length, 'kind of event', 'kinds of events')}.`}
        crumbs={[
          ...organizationCrumbs(organization),
          <Link key="systems" to={paths.systems(orgId)}>
            Other systems
          </Link>,
        ]}
        more={
          <>
            <Button variant="default" onClick={() => setAsks('change')}>
              Edit
            </Button>
            <Button variant="default" onClick={() => setAsks('replay')}>
              Replay
            </Button>
          </>
        }
        actions={
          <Button loading={trial.isPending} onClick={() => void tryIt()}>
            Send a test
          </Button>
        }
        seldom={
          <>
            <Button variant="default" onClick={() => setAsks('rotate')}>
              Replace the secret
            </Button>
            <Button variant="default" onClick={() => setAsks('remove')}>
              Remove the address
            </Button>
          </>
        }
      />
      <div className={shapes.stack}>
        {secret !== null && (
          <Secret secret={secret} onDone={() => setSecret(null)}>
            For a day events are signed with it and with the one before.
          </Secret>
        )}
        {tried && <Tried {...tried} taken="The test was taken. Nothing follows of it." />}
        <Trouble {...address} />
        <Told {...address} />
        <EventLog {...params} types={address.types} />
      </div>
      <Suspense>
        {asks === 'change' && <AddressDialog orgId={orgId} address={address} onClose={close} />}
        {asks === 'replay' && <ReplayDialog orgId={orgId} address={address} onClose={close} />}
      </Suspense>
      <Rotating {...params} isOpen={asks === 'rotate'} onSecret={setSecret} onClose={close} />
      <Removing {...{ params, address }} isOpen={asks === 'remove'} onClose={close} />
    </>
  )
}

/** What is wrong with it, and what becomes of the events meanwhile. */
function Trouble({ fault, failingSince, waiting, aside, previousUntil }: EventAddress) {
  return (
    <>
      {fault !== null && failingSince !== null && (
        <Notice tone="danger" role="status">
          It has taken nothing since <DateTime iso={failingSince} />. {answerWords[fault]}{' '}
          {waiting === 0
            ? 'Nothing waits.'
            : waiting === 1
              ? 'One event waits, and is posted once it answers again.'
              : `${eventsText(waiting)} wait, and are posted in their order once it answers again.`}
        </Notice>
      )}
      {aside > 0 && (
        <Notice tone="warning">
          {aside === 1
            ? 'One event was refused for three days and is not posted any more.'
            : `${eventsText(aside)} were refused for three days and are not posted any more.`}{' '}
          See in the log why, and replay that time once it is mended.
        </Notice>
      )}
      {previousUntil !== null && (
        <p className={shapes.hint}>
          Until <DateTime iso={previousUntil} /> events are signed with the secret before as well.
        </p>
      )}
    </>
  )
}

function Told(address: EventAddress) {
  const { url, types, createdAt } = address
  return (
    <section className={`${shapes.card} ${shapes.pad}`} aria-label="The address">
      <Facts
        facts={[
          { label: 'Address', value: url },
          { label: 'State', value: <AddressState {...address} /> },
          { label: 'Added', value: <RelativeTime iso={createdAt} /> },
          { label: 'Told of', value: <Types types={types} /> },
        ]}
      />
    </section>
  )
}

/** By their names, as the other system knows them, in the order of the list to choose from. */
function Types({ types }: Pick<EventAddress, 'types'>) {
  return (
    <span className={shapes.row}>
      {eventTypes
        .filter((type) => types.includes(type))
        .map((type) => (
          <code key={type} translate="no">
            {type}
          </code>
        ))}
    </span>
  )
}

type RotatingProps = Omit<ReplaceSecretProps, 'replace'> & { orgId: string; eventAddressId: string }

function Rotating({ orgId, eventAddressId, ...shown }: RotatingProps) {
  const rotate = useChange(rotateEventSecret, [readEventAddress])
  const params = { orgId, eventAddressId }
  return <ReplaceSecret {...shown} replace={() => rotate.mutateAsync({ params, body: {} })} />
}

type RemovingProps = {
  params: { orgId: string; eventAddressId: string }
  address: EventAddress
  isOpen: boolean
  onClose: () => void
}

function Removing({ params, address, isOpen, onClose }: RemovingProps) {
  const navigate = useNavigate()
  const remove = useChange(removeEventAddress, [listEventAddresses])
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Post no events there any more?"
      confirmLabel="Remove the address"
      onConfirm={() =>
        attempt(async () => {
          await remove.mutateAsync({ params, ifMatch: address })
          await navigate({ to: paths.systems(params.orgId) })
        }, 'The address was removed.')
      }
      onClose={onClose}
    >
      <p>What waits for it is dropped, and its log goes. Another address gets another secret.</p>
    </ConfirmDialog>
  )
}
