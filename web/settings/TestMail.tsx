import { Button } from '@mantine/core'
import type { Reply } from '#contract/endpoint.ts'
import { sendTestMail } from '#contract/identity/mail-server.ts'
import { mailTestWords } from '#contract/identity/mail-test-words.ts'
import { sentence } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import { useUser } from '#web/session/useSession.ts'
import { Notice } from '#web/ui/Notice.tsx'
import shapes from '#web/ui/shapes.module.css'

/** A mail to oneself, and what became of it. */
export function TestMail() {
  const { email } = useUser()
  const test = useChange(sendTestMail, [])
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="test-mail">
      <h2 id="test-mail">Test</h2>
      <p>A mail to {email}, by the mail server as it is saved.</p>
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate({ body: {} })}>
        Send a test mail
      </Button>
      <div role="status">
        {test.data && <Result {...test.data} />}
        {test.error && <p>{sentence(test.error)}</p>}
      </div>
    </section>
  )
}

function Result({ result, answer }: Reply<typeof sendTestMail>) {
  return (
    <Notice tone={result === 'accepted' ? 'success' : 'danger'}>
      <p>{mailTestWords[result]}</p>
      {answer !== null && (
        <p>
          Its answer: <q>{answer}</q>
        </p>
      )}
    </Notice>
  )
}
