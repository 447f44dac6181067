import '@mantine/core/styles/Checkbox.layer.css'
import { Button, Checkbox, Textarea } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { addGroupUsers, type Group } from '#contract/directory/groups.ts'
import { addNewMembers, matchMembers, type Match, type MatchOutcome } from '#contract/directory/members.ts'
import { sentence } from '../api/errors.ts'
import { serverFieldErrors } from '../api/forms/fieldErrors.ts'
import { refreshAll, useChange } from '../api/query.ts'
import { useUser } from '../session/useSession.ts'
import { Dialog } from '../ui/overlays/Dialog.tsx'
import { formatNumber, plural } from '../ui/format.ts'
import { Lines } from '../ui/Lines.tsx'
import { StatusBadge, type Tone } from '../ui/figures/StatusBadge.tsx'
import { toast } from '../ui/feedback/toasts.ts'
import { memberEndpoints } from './endpoints.ts'

const words: Record<MatchOutcome, { tone: Tone; word: string }> = {
  found: { tone: 'success', word: 'Will be added' },
  member: { tone: 'neutral', word: 'In the group already' },
  repeated: { tone: 'neutral', word: 'Twice in the list' },
  unknown: { tone: 'warning', word: 'Not known here' },
  ambiguous: { tone: 'warning', word: 'Means several people' },
  invalid: { tone: 'warning', word: 'Not an address' },
}

/** Not known here, and somebody wants it to be. */
const created = { tone: 'success', word: 'Will be created' } as const

/** What needs a look stands first. */
const order: readonly MatchOutcome[] = ['invalid', 'ambiguous', 'unknown', 'found', 'repeated', 'member']

/** Lines that are drawn; those that need a look are among the first. */
const mostShown = 300

/** People of one request. */
const chunk = 1_000

type Props = { orgId: string; group: Group; onClose: () => void }

/** A pasted list: first what each line means, then those people come into the group. */
export function PasteMembers({ orgId, group, onClose }: Props) {
  const [text, setText] = useState('')
  const [matches, setMatches] = useState<readonly Match[] | null>(null)
  const [isNewWanted, setNewWanted] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const match = useChange(matchMembers)
  const { isBusy, run } = useAdding({ orgId, group })
  const look = async () => {
    setError(null)
    try {
      const { items } = await match.mutateAsync({ params: { orgId, groupId: group.id }, body: { text } })
      setMatches(items)
    } catch (failure) {
      setError(
        serverFieldErrors(failure)['text'] ? 'Paste at most 5,000 lines at a time.' : sentence(failure),
      )
    }
  }
  const found = matches?.flatMap((one) => (one.outcome === 'found' && one.user ? [one.user.id] : [])) ?? []
  const strangers = matches ? newPeople(matches) : []
  const wanted = isNewWanted ? strangers : []
  const add = async () => {
    try {
      await run(found, wanted)
      onClose()
    } catch (failure) {
      setError(sentence(failure))
    }
  }
  const count = found.length + wanted.length
  return (
    <Dialog
      title={`Add people to ${group.name}`}
      isOpen
      onClose={onClose}
      footer={
        matches ? (
          <>
            <Button variant="default" onClick={() => setMatches(null)}>
              Edit the list
            </Button>
            <Button loading={isBusy} disabled={count === 0} onClick={() => void add()}>
              {count === 0 ? 'Nobody to add' : `Add ${plural(count, 'person', 'people')}`}
            </Button>
          </>
        ) : (
          <>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button loading={match.isPending} disabled={text.trim() === ''} onClick={() => void look()}>
              Check the list
            </Button>
          </>
        )
      }
    >
      {matches ? (
        <Result
          matches={matches}
          strangers={strangers.length}
          isNewWanted={isNewWanted}
          onNewWanted={setNewWanted}
        />
      ) : (
        <Textarea
          label="Addresses or external IDs"
          description="One on each line, or divided by commas, as they come from a mail or a table. Nothing is added yet."
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          rows={10}
          placeholder={'ada@example.org\nGrace Hopper <grace@example.org>\n10443'}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
      )}
      {error && (
        <p role="alert" className="mantine-InputWrapper-error">
          {error}
        </p>
      )}
    </Dialog>
  )
}

type Newcomer = { email: string; name: string | null }

/** Each unknown address once. */
function newPeople(matches: readonly Match[]): Newcomer[] {
  const byEmail = new Map<string, Newcomer>()
  for (const { outcome, email, name } of matches)
    if (outcome === 'unknown' && email !== null && !byEmail.has(email)) byEmail.set(email, { email, name })
  return [...byEmail.values()]
}

type ResultProps = {
  matches: readonly Match[]
  strangers: number
  isNewWanted: boolean
  onNewWanted: (wanted: boolean) => void
}

function Result({ matches, strangers, isNewWanted, onNewWanted }: ResultProps) {
  const isGroupadmin = useUser().role === 'groupadmin'
  const summary = useRef<HTMLParagraphElement>(null)
  useEffect(() => summary.current?.focus(), [])
  const sorted = order.flatMap((outcome) => matches.filter((one) => one.outcome === outcome))
  // The same line may stand in the list twice.
  const numbers = new Map(matches.map((one, at) => [one, at]))
  const parts = order.flatMap((outcome) => {
    const n = matches.filter((one) => one.outcome === outcome).length
    return n > 0 ? [`${n} ${words[outcome].word.toLowerCase()}`] : []
  })
  return (
    <>
      <p ref={summary} tabIndex={-1} role="status">
        {plural(matches.length, 'line')}: {parts.join(', ')}.
      </p>
      {strangers > 0 &&
        (isGroupadmin ? (
          <p>Ask an administrator to create those who are not known here.</p>
        ) : (
          <Checkbox
            checked={isNewWanted}
            onChange={(event) => onNewWanted(event.currentTarget.checked)}
            label={`Add ${plural(strangers, 'new person', 'new people')} for the addresses that are not known here`}
            description="They receive videos and never sign in. Their names come from the list or from the address."
          />
        ))}
      <Lines isCard label="What each line means">
        {sorted.slice(0, mostShown).map((one) => {
          const isCreated = one.outcome === 'unknown' && one.email !== null && isNewWanted
          const { tone, word } = isCreated ? created : words[one.outcome]
          return (
            <li key={numbers.get(one)}>
              <span>
                {one.given}
                {one.user && <small>{meaning(one.given, one.user)}</small>}
              </span>
              <StatusBadge tone={tone}>{word}</StatusBadge>
            </li>
          )
        })}
      </Lines>
      {sorted.length > mostShown && <p>And {formatNumber(sorted.length - mostShown)} more lines.</p>}
    </>
  )
}

/** The address again only where the line was another one. */
function meaning(given: string, { name, email }: { name: string; email: string }): string {
  return given.toLowerCase().includes(email) ? name : `${name} · ${email}`
}

/** Adds in as many requests as it takes; what has been added stays when a later one fails. */
function useAdding({ orgId, group }: { orgId: string; group: Group }) {
  const [isBusy, setBusy] = useState(false)
  const add = useChange(addGroupUsers)
  const create = useChange(addNewMembers)
  const params = { orgId, groupId: group.id }
  const run = async (userIds: readonly string[], people: readonly Newcomer[]) => {
    setBusy(true)
    try {
      let added = 0
      for (let at = 0; at < userIds.length; at += chunk)
        added += (await add.mutateAsync({ params, body: { userIds: userIds.slice(at, at + chunk) } })).added
      for (let at = 0; at < people.length; at += chunk)
        added += (await create.mutateAsync({ params, body: { people: people.slice(at, at + chunk) } })).added
      toast.success(`${plural(added, 'person was', 'people were')} added to ${group.name}.`)
    } finally {
      setBusy(false)
      await refreshAll(memberEndpoints)
    }
  }
  return { isBusy, run }
}
