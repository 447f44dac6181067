import { Button } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { dialogOnDemand } from '../ui/onDemand.tsx'

const SignOutAllDialog = dialogOnDemand(async () => (await import('./SignOutAllDialog.tsx')).SignOutAllDialog)

/** Leads to the question whether everybody of the organization is to sign in anew. */
export function SignOutAll(props: { orgId: string; name: string }) {
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconLogout size={16} aria-hidden />}
        onClick={() => setAsked(true)}
      >
        Sign everyone out
      </Button>
      {isAsked && (
        <Suspense>
          <SignOutAllDialog {...props} onClose={() => setAsked(false)} />
        </Suspense>
      )}
    </>
  )
}
