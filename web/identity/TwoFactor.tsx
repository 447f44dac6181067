import { Suspense, useState } from 'react'
import { flow } from './flow.ts'
import { Card } from './Frame.tsx'
import { Lost } from './Lost.tsx'
import { onDemand } from './Missing.tsx'

/** Each on its own: passkeys and the QR code come along, and nobody needs both. */
const SecondStep = onDemand(async () => (await import('./second-step/SecondStep.tsx')).SecondStep)
const FirstFactor = onDemand(async () => (await import('./second-step/FirstFactor.tsx')).FirstFactor)

/** Completes a sign-in with what the person has, or sets up what the policy asks for. */
export function TwoFactor() {
  const [methods] = useState(() => flow.read().methods)
  if (methods === null) return <Lost />
  return (
    <Suspense fallback={<Card title="Second step" lead="One moment, please." />}>
      {methods.length > 0 ? <SecondStep methods={methods} /> : <FirstFactor />}
    </Suspense>
  )
}
