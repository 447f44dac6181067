import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listPersonHistory } from '#contract/person/person.ts'
import {
  eraseEvidence,
  exportPersonData,
  keepEvidence,
  personDataParts,
  readErasure,
  type ErasureCounts,
} from '#contract/evidence/privacy.ts'
import type { User } from '#contract/directory/users.ts'
import { attempt, useBusy } from '#web/api/attempt.ts'
import { fetchFile } from '#web/api/client.ts'
import { queryOf, useChange } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { offerDated } from '#web/ui/browser/download.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { plural } from '#web/ui/format.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { orgId: string; user: User }

/** What a person may ask for: everything that is kept about them, and that it is erased. */
export function PersonData({ orgId, user }: Props) {
  return (
    <div className={shapes.stack}>
      <TakeOut orgId={orgId} user={user} />
      <Erase orgId={orgId} user={user} />
    </div>
  )
}

function TakeOut({ orgId, user }: Props) {
  const [isBusy, run] = useBusy()
  const save = () =>
    run(async () => {
      const file = await fetchFile(exportPersonData, { params: { orgId, userId: user.id } })
      offerDated(file, `person-${user.id}`, 'json')
    })
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="data-out">
      <h2 id="data-out">Everything that is kept about {user.name}</h2>
      <p>
        For a person who asks what you know about them; what is about messages and videos they can also
        download themselves, by the personal link of a video. One file (JSON) that says what each part means:
      </p>
      <ul className={shapes.bullets}>
        {Object.entries(personDataParts).map(([part, means]) => (
          <li key={part}>{means}</li>
        ))}
      </ul>
      <Button
        variant="default"
        loading={isBusy}
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => void save()}
      >
        Download the file
      </Button>
    </section>
  )
}

function Erase({ orgId, user }: Props) {
  const params = { orgId, userId: user.id }
  const { data, error, refetch } = useQuery(queryOf(readErasure, { params }))
  const erase = useChange(eraseEvidence, [readErasure, listPersonHistory])
  const keep = useChange(keepEvidence, [readErasure])
  const [asked, setAsked] = useState<'now' | 'with_person' | null>(null)
  if (!data) return <NotRead error={error} retry={() => void refetch()} height={160} />
  const parts = partsOf(data.counts)
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="data-erase">
      <h2 id="data-erase">Erase viewing evidence</h2>
      <p>
        {parts.length === 0
          ? `No viewing of ${user.name} is kept.`
          : `Kept about ${user.name}: ${parts.join(', ')}.`}
      </p>
      <p>
        {data.isPlanned
          ? `It will be erased for good together with ${user.name}, 30 days after their removal.`
          : `When ${user.name} is removed, it stays under a pseudonym, unless you ask for it to be erased.`}
      </p>
      <div className={shapes.row}>
        {data.isPlanned ? (
          <Button
            variant="default"
            loading={keep.isPending}
            onClick={() => void attempt(() => keep.mutateAsync({ params }), 'It stays under a pseudonym.')}
          >
            Keep it under a pseudonym
          </Button>
        ) : (
          <Button variant="default" onClick={() => setAsked('with_person')}>
            Erase with the person
          </Button>
        )}
        <Button variant="default" color="red" disabled={parts.length === 0} onClick={() => setAsked('now')}>
          Erase now
        </Button>
      </div>
      <ConfirmDialog
        isOpen={asked !== null}
        title={
          asked === 'now'
            ? `Erase the viewing evidence of ${user.name}?`
            : `Erase it when ${user.name} is erased?`
        }
        confirmLabel={asked === 'now' ? 'Erase for good' : 'Erase with the person'}
        onConfirm={() =>
          attempt(
            () => erase.mutateAsync({ params, body: { when: asked ?? 'with_person' } }),
            asked === 'now'
              ? `The viewing evidence of ${user.name} was erased.`
              : 'It will be erased with the person.',
          )
        }
        onClose={() => setAsked(null)}
      >
        <p>
          <strong>
            {asked === 'now' ? 'This cannot be undone.' : 'From that day on this cannot be undone.'}
          </strong>{' '}
          Gone are {parts.length === 0 ? 'all viewing sessions' : parts.join(', ')}, and with them whether{' '}
          {user.name} has completed a video. Nothing proves it any more.
        </p>
        <p>
          Stays: that messages were sent to them, and the places of their certificates in the chain, without a
          word of text. Figures of videos and of the organization are set right, as if {user.name} had never
          watched. What they watch from then on is recorded anew.
        </p>
      </ConfirmDialog>
    </section>
  )
}

function partsOf({ videos, sessions, batches, attempts, certificates, consents }: ErasureCounts): string[] {
  return [
    videos > 0 && `the viewing of ${plural(videos, 'video')}`,
    sessions > 0 && plural(sessions, 'viewing session'),
    batches > 0 && plural(batches, 'report of a player', 'reports of players'),
    attempts > 0 && plural(attempts, 'attempt at questions', 'attempts at questions'),
    certificates > 0 && plural(certificates, 'certificate'),
    consents > 0 && plural(consents, 'noted consent'),
  ].filter((part) => part !== false)
}
