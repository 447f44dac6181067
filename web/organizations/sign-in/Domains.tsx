import { Button, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { DomainInput, mostDomains, type SignInDomain } from '#contract/identity/sign-in-domains.ts'
import { domainFindingWords } from '#contract/identity/sso-words.ts'
import { attempt, useBusy } from '#web/api/attempt.ts'
import { fieldErrors } from '#web/api/forms/fieldErrors.ts'
import { useOneField } from '#web/api/forms/oneField.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useChange, useList } from '#web/api/query.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { StatusBadge, type Label } from '#web/ui/figures/StatusBadge.tsx'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { DnsRecordText } from '../settings/DnsRecordText.tsx'
import { callsOf, type Owner } from './calls.ts'
import classes from './SignIn.module.css'

/** Whose addresses are led to the connections: those of domains that somebody has proved. */
export function Domains({ owner }: { owner: Owner }) {
  const calls = callsOf(owner)
  const params = { orgId: owner ?? '' }
  const { page, error, retry } = useList(calls.domains, { params, query: { limit: mostDomains } })
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="domains">
      <h2 id="domains">Domains</h2>
      <p>
        Whoever types an address of one of these domains on the sign-in page is led to your connections at
        once. A record in the DNS proves that the domain is yours.
      </p>
      {error || !page ? (
        <NotRead error={error} retry={retry} height={120} />
      ) : (
        page.items.map((domain) => <Domain key={domain.id} owner={owner} domain={domain} />)
      )}
      <AddDomain owner={owner} />
    </section>
  )
}

function AddDomain({ owner }: { owner: Owner }) {
  const calls = callsOf(owner)
  const add = useChange(calls.addDomain, [calls.domains])
  const [round, setRound] = useState(0)
  return <AddForm key={round} add={add.mutateAsync} owner={owner} onAdded={() => setRound(round + 1)} />
}

type AddProps = {
  owner: Owner
  add: (input: { params: { orgId: string }; body: { domain: string } }) => Promise<SignInDomain>
  onAdded: () => void
}

function AddForm({ owner, add, onAdded }: AddProps) {
  const { field, submit, isBusy } = useOneField('domain', '', async (domain) => {
    const wrong = fieldErrors(DomainInput, { domain })['domain']
    if (wrong) return wrong
    const added = await add({ params: { orgId: owner ?? '' }, body: { domain } })
    toast.success(`${added.domain} was added. Put its record into the DNS, then check it.`)
    onAdded()
    return undefined
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void submit()
  }
  return (
    <form className={shapes.stack} noValidate onSubmit={onSubmit}>
      <TextInput
        {...field}
        label="Domain"
        description="What stands behind the @ of your people, such as example.com."
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Button type="submit" variant="default" loading={isBusy}>
        Add the domain
      </Button>
    </form>
  )
}

function stateOf({ provedAt, checkedAt, finding }: SignInDomain): Label {
  if (provedAt !== null && finding !== null && finding !== 'proved' && finding !== 'no_answer')
    return {
      word: 'Record gone',
      tone: 'warning',
      means: 'It was proved, and its record is not there any more.',
    }
  if (provedAt !== null) return { word: 'Proved', tone: 'success', means: domainFindingWords.proved }
  if (checkedAt === null) return { word: 'Not looked at', tone: 'neutral', means: 'Nobody has looked yet.' }
  return { word: 'Not proved', tone: 'warning', means: 'Addresses of it are not led to your connections.' }
}

function Domain({ owner, domain }: { owner: Owner; domain: SignInDomain }) {
  const calls = callsOf(owner)
  const params = { orgId: owner ?? '', domainId: domain.id }
  const check = useChange(calls.checkDomain, [calls.domains])
  const remove = useChange(calls.removeDomain, [calls.domains])
  const [isBusy, run] = useBusy()
  const [isAsking, setAsking] = useState(false)
  const { tone, word, means } = stateOf(domain)
  return (
    <div className={`${shapes.stack} ${classes.domain}`} role="group" aria-label={domain.domain}>
      <div className={shapes.spaceBetween}>
        <strong>{domain.domain}</strong>
        <StatusBadge tone={tone} title={means}>
          {word}
        </StatusBadge>
      </div>
      {domain.finding !== 'proved' && <DnsRecordText record={domain.record} />}
      <div role="status" className={shapes.stack}>
        {domain.finding !== null && domain.checkedAt !== null && (
          <Notice tone={domain.finding === 'proved' ? 'success' : 'warning'}>
            {domainFindingWords[domain.finding]} As of <DateTime iso={domain.checkedAt} />.
          </Notice>
        )}
      </div>
      <div className={shapes.row}>
        <Button
          variant="default"
          loading={isBusy}
          onClick={() => void run(() => check.mutateAsync({ params, body: {} }))}
        >
          Check now
          <span className={shapes.sr}> whether {domain.domain} is proved</span>
        </Button>
        <Button variant="default" onClick={() => setAsking(true)}>
          Remove
          <span className={shapes.sr}> {domain.domain}</span>
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Remove ${domain.domain}?`}
        confirmLabel="Remove the domain"
        onConfirm={() => attempt(() => remove.mutateAsync({ params }), `${domain.domain} was removed.`)}
        onClose={() => setAsking(false)}
      >
        <p>
          Whoever types an address of it on the sign-in page is asked for a password again, and nobody is
          created with their first sign-in from it. Adding it again needs another record.
        </p>
      </ConfirmDialog>
    </div>
  )
}
