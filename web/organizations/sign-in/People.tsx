import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from '@tanstack/react-router'
import type { LinkedPerson } from '#contract/identity/sso.ts'
import { attempt } from '#web/api/attempt.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useChange, useList } from '#web/api/query.ts'
import { Lines } from '#web/ui/Lines.tsx'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { paths } from '../../paths.ts'
import { callsOf, type Owner } from './calls.ts'

/** Whom a connection knows, and how to have it forget somebody whose account at the provider is another one now. */
export function People({ owner, connectionId }: { owner: Owner; connectionId: string }) {
  const [offset, setOffset] = useState(0)
  const [forgotten, setForgotten] = useState<LinkedPerson | null>(null)
  const params = { orgId: owner ?? '', connectionId }
  const { page, error, retry } = useList(callsOf(owner).people, { params, query: { offset, limit: 10 } })
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="linked">
      <h2 id="linked">Who signs in by it</h2>
      {error || !page ? (
        <NotRead error={error} retry={retry} height={64} />
      ) : page.total === 0 ? (
        <p>Nobody has yet. People find it on the sign-in page, once they have typed their address.</p>
      ) : (
        <>
          <Lines label="People">
            {page.items.map((person) => (
              <li key={person.id}>
                <div>
                  <strong>
                    {owner === null ? (
                      person.name
                    ) : (
                      <Link to={paths.person(owner, person.id)}>{person.name}</Link>
                    )}
                  </strong>
                  <small>
                    {person.email}, last <RelativeTime iso={person.lastAt} />
                  </small>
                </div>
                <Button variant="default" size="xs" onClick={() => setForgotten(person)}>
                  Forget
                  <span className={shapes.sr}> the account of {person.name}</span>
                </Button>
              </li>
            ))}
          </Lines>
          <Pager {...page} offset={offset} onOffset={setOffset} />
        </>
      )}
      {forgotten && (
        <Forget owner={owner} {...{ connectionId }} person={forgotten} onClose={() => setForgotten(null)} />
      )}
    </section>
  )
}

type ForgetProps = { owner: Owner; connectionId: string; person: LinkedPerson; onClose: () => void }

function Forget({ owner, connectionId, person, onClose }: ForgetProps) {
  const calls = callsOf(owner)
  const forget = useChange(calls.unlink, [calls.people, calls.read, calls.list])
  const params = { orgId: owner ?? '', connectionId, userId: person.id }
  return (
    <ConfirmDialog
      isOpen
      title={`Forget by which account ${person.name} signs in?`}
      confirmLabel="Forget the account"
      onConfirm={() =>
        attempt(() => forget.mutateAsync({ params }), `The account of ${person.name} was forgotten.`)
      }
      onClose={onClose}
    >
      <p>
        For somebody whose account at the provider was made anew. At their next sign-in their address decides,
        as at the first.
      </p>
    </ConfirmDialog>
  )
}
