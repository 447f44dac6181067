import { lazy, Suspense, useState } from 'react'
import { flow } from './flow.ts'
import { Card } from './Frame.tsx'
import { Lost } from './Lost.tsx'

/** Not part of the first page: most people sign in without it, and it brings the QR code along. */
const SecondStep = lazy(async () => ({ default: (await import('./second-step/SecondStep.tsx')).SecondStep }))
const FirstFactor = lazy(async () => ({
  default: (await import('./second-step/FirstFactor.tsx')).FirstFactor,
}))

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
