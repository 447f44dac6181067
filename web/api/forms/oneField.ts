import { useState } from 'react'
import { sentence } from '../errors.ts'
import { serverFieldErrors } from './fieldErrors.ts'

type Typing = { currentTarget: { value: string } }

/** A form of one field with this name in the contract: what `send` returns or throws is wrong with it, and stands there. */
export function useOneField(name: string, start: string, send: (value: string) => Promise<string | void>) {
  const [value, setValue] = useState(start)
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async () => {
    setBusy(true)
    try {
      setError((await send(value.trim())) || undefined)
    } catch (failure) {
      setError(serverFieldErrors(failure)[name] ?? sentence(failure))
    }
    setBusy(false)
  }
  const onChange = ({ currentTarget }: Typing) => {
    setValue(currentTarget.value)
    setError(undefined)
  }
  return { field: { value, error, onChange }, submit, isBusy }
}
