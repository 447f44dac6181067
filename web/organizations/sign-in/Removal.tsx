import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Connection } from '#contract/identity/sso.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange, useList } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { callsOf, type Owner } from './calls.ts'

type Props = { owner: Owner; connection: Connection; onRemoved: () => void }

export function Removal({ owner, connection, onRemoved }: Props) {
  const [isAsking, setAsking] = useState(false)
  const calls = callsOf(owner)
  const remove = useChange(calls.remove, [calls.list])
  const params = { orgId: owner ?? '', connectionId: connection.id }
  const confirm = async () => {
    const isGone = await attempt(() => remove.mutateAsync({ params }), `${connection.name} was removed.`)
    if (isGone) onRemoved()
  }
  return (
    <>
      <div>
        <Button variant="default" color="red" onClick={() => setAsking(true)}>
          Remove the connection
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Remove ${connection.name}?`}
        confirmLabel="Remove the connection"
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        <WhoSignsIn owner={owner} connectionId={connection.id} />
        <p>
          Sessions that began by it end at once, its secret is forgotten, and its addresses at the provider
          lead nowhere. People, their roles and their groups stay.
        </p>
      </ConfirmDialog>
    </>
  )
}

/** The first names, and how many more there are. */
function WhoSignsIn({ owner, connectionId }: { owner: Owner; connectionId: string }) {
  const params = { orgId: owner ?? '', connectionId }
  const { page } = useList(callsOf(owner).people, { params, query: { limit: 5 } })
  if (!page) return <Bone height={24} />
  if (page.total === 0) return <p>Nobody has signed in by it.</p>
  const names = page.items.map(({ name }) => name).join(', ')
  const more = page.total - page.items.length
  return (
    <p>
      {plural(page.total, 'person signs', 'people sign')} in by it: {names}
      {more > 0 && ` and ${formatNumber(more)} more`}. Whoever has no password asks for one with “Forgot your
      password?”.
    </p>
  )
}
