import { Button } from '@mantine/core'
import { useState } from 'react'
import { readSending, releaseSending, type HoldSign } from '#contract/transmissions/sending.ts'
import type { Body, Reply } from '#contract/endpoint.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { listTransmissions, readTransmission } from '#contract/transmissions/transmissions.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange, useList } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { plural } from '#web/ui/format.ts'
import { DateTime } from '#web/ui/Time.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type State = Reply<typeof readSending>
type Hold = NonNullable<State['hold']>
type Answer = Body<typeof releaseSending>['answer']

const noticed: Record<HoldSign, string> = {
  copied: 'The folder of data is not the one that this database knows, or it lies on another machine.',
  apart: 'The database and the folder of data are not of the same moment: one of them is older.',
  silent: 'Messages wait, and for more than half an hour this database heard nothing from its sender.',
}

/** Whether messages leave the installation, and the question that a restored one asks. */
export function Sending() {
  const { page: state, error, retry } = useList(readSending, {}, { every: 5_000 })
  if (error || !state) return <NotRead error={error} retry={retry} height={240} />
  if (state.hold) return <Held hold={state.hold} />
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${shapes.narrow}`}>
      <h2>Nothing is held</h2>
      {state.mailServerFailingSince === null ? (
        <p>Messages leave as they are sent.</p>
      ) : (
        <p>
          The mail server has not answered since <DateTime iso={state.mailServerFailingSince} />. What waits
          leaves by itself as soon as it answers again.
        </p>
      )}
      <p>
        When this installation is restored from a backup, copied to another machine or set back to an earlier
        state, it holds every message and asks here what happened, so that nobody gets one twice.
      </p>
    </section>
  )
}

function Held({ hold }: { hold: Hold }) {
  const [asking, setAsking] = useState<Answer | null>(null)
  const release = useChange(releaseSending, [
    readSending,
    listTransmissions,
    readTransmission,
    listDeliveries,
  ])
  const answer = (given: Answer) =>
    attempt(
      () => release.mutateAsync({ body: { answer: given } }),
      given === 'only_off' ? 'Sending goes on.' : 'What was open is marked as uncertain.',
    )
  const open = `${plural(hold.deliveries, 'message')} of ${plural(hold.transmissions, 'transmission')}`
  if (hold.isEnding)
    return (
      <section className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${shapes.narrow}`} role="status">
        <h2>What was open becomes uncertain</h2>
        <p>
          {hold.deliveries > 0
            ? `${plural(hold.deliveries, 'message')} still to be marked. `
            : 'Assignments look for what they had to send since then. '}
          Then sending goes on by itself.
        </p>
      </section>
    )
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${shapes.narrow}`}>
      <h2>
        Sending is held since <DateTime iso={hold.since} />
      </h2>
      <p>
        This installation may be a copy, or may have been set back to an earlier state. Another one, or this
        one at a later time, may have sent what seems to wait here: {open}. What was noticed:
      </p>
      <ul className={shapes.bullets}>
        {hold.signs.map((sign) => (
          <li key={sign}>{noticed[sign]}</li>
        ))}
      </ul>
      <p>Codes, invitations and notices are not held.</p>
      <div className={shapes.row}>
        <Button variant="default" onClick={() => setAsking('only_off')}>
          It was only off
        </Button>
        <Button onClick={() => setAsking('restored')}>It was restored or copied</Button>
      </div>
      <ConfirmDialog
        isOpen={asking === 'only_off'}
        title="Was it only off?"
        confirmLabel="Go on sending"
        onConfirm={() => answer('only_off')}
        onClose={() => setAsking(null)}
      >
        <p>
          {open} will leave. Choose this only when nothing was put back and no copy runs elsewhere: if mails
          have left since a backup was made, their recipients get them a second time.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asking === 'restored'}
        title="Was it restored or copied?"
        confirmLabel="Mark them as uncertain"
        isDangerous={false}
        onConfirm={() => answer('restored')}
        onClose={() => setAsking(null)}
      >
        <p>
          {open} will be marked as uncertain, and none of them leaves by itself. On the page of each
          transmission they can be sent again, or treated as failed. What is written from now on is sent as
          ever.
        </p>
      </ConfirmDialog>
    </section>
  )
}
