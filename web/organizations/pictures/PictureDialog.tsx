import { Button } from '@mantine/core'
import { useEffect, useId, useLayoutEffect, useRef, useState, type PointerEvent, type RefObject } from 'react'
import { sentence } from '#web/api/errors.ts'
import { Dialog } from '#web/ui/Dialog.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { Bone } from '#web/ui/Skeletons.tsx'
import {
  avatarSide,
  drawLogo,
  drawSquare,
  encoded,
  mostZoom,
  pulled,
  readPicture,
  wholePicture,
  type Crop,
} from './drawing.ts'
import classes from './PictureDialog.module.css'
import type { PictureKind } from './PictureField.tsx'
import shapes from '#web/ui/shapes.module.css'

type Props = {
  kind: PictureKind
  file: File
  onSave: (data: string) => Promise<unknown>
  onClose: () => void
}

/** Shows what a chosen file will look like; a face is cut to a square on the way. Nothing is sent before it is saved. */
export function PictureDialog({ kind, file, onSave, onClose }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { bitmap, fault } = usePicture(file)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    if (!canvas.current) return
    setBusy(true)
    setProblem(null)
    try {
      await onSave(await encoded(canvas.current))
      onClose()
    } catch (error) {
      setProblem(sentence(error))
      setBusy(false)
    }
  }
  const told = fault ?? problem
  return (
    <Dialog
      title={kind === 'avatar' ? 'Choose the part to show' : 'New logo'}
      isOpen
      onClose={onClose}
      dismiss={fault ? 'Close' : 'Cancel'}
      actions={
        bitmap && (
          <Button loading={isBusy} onClick={() => void save()}>
            Save picture
          </Button>
        )
      }
    >
      <div className={shapes.stack}>
        {told && (
          <Notice tone="danger" role="alert">
            {told}
          </Notice>
        )}
        {bitmap &&
          (kind === 'avatar' ? (
            <Square canvas={canvas} bitmap={bitmap} />
          ) : (
            <Logo canvas={canvas} bitmap={bitmap} />
          ))}
        {!bitmap && !fault && <Bone height={240} />}
      </div>
    </Dialog>
  )
}

function usePicture(file: File) {
  const [read, setRead] = useState<{ bitmap?: ImageBitmap; fault?: string }>({})
  useEffect(() => {
    let isGone = false
    readPicture(file).then(
      (bitmap) => !isGone && setRead({ bitmap }),
      (error: unknown) =>
        !isGone && setRead({ fault: error instanceof Error ? error.message : String(error) }),
    )
    return () => {
      isGone = true
    }
  }, [file])
  return read
}

type CanvasProps = { canvas: RefObject<HTMLCanvasElement | null>; bitmap: ImageBitmap }

/** Moved by pointer or, like everything else, by keyboard. */
function Square({ canvas, bitmap }: CanvasProps) {
  const [crop, setCrop] = useState(wholePicture)
  const last = useRef<{ x: number; y: number } | null>(null)
  useLayoutEffect(() => {
    if (canvas.current) drawSquare(canvas.current, bitmap, crop)
  }, [canvas, bitmap, crop])
  const pull = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    const from = last.current
    if (!from) return
    const { width } = currentTarget.getBoundingClientRect()
    setCrop((before) =>
      pulled(bitmap, before, { x: (clientX - from.x) / width, y: (clientY - from.y) / width }),
    )
    last.current = { x: clientX, y: clientY }
  }
  const drop = () => {
    last.current = null
  }
  const { width, height } = bitmap
  return (
    <>
      <canvas
        ref={canvas}
        className={classes.square}
        width={avatarSide}
        height={avatarSide}
        role="img"
        aria-label="The picture as it will be shown"
        onPointerDown={({ clientX, clientY, currentTarget, pointerId }) => {
          currentTarget.setPointerCapture(pointerId)
          last.current = { x: clientX, y: clientY }
        }}
        onPointerMove={pull}
        onPointerUp={drop}
        onPointerCancel={drop}
      />
      <div className={`${shapes.stack} ${classes.sliders}`}>
        <Slider
          label="Size"
          value={(crop.zoom - 1) / (mostZoom - 1)}
          onChange={(share) => setCrop({ ...crop, zoom: 1 + share * (mostZoom - 1) })}
        />
        {(crop.zoom > 1 || width > height) && (
          <Slider label="Left to right" value={crop.x} onChange={(x) => setCrop({ ...crop, x })} />
        )}
        {(crop.zoom > 1 || height > width) && (
          <Slider label="Top to bottom" value={crop.y} onChange={(y) => setCrop({ ...crop, y })} />
        )}
      </div>
    </>
  )
}

type SliderProps = { label: string; value: Crop['x']; onChange: (share: number) => void }

function Slider({ label, value, onChange }: SliderProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={100}
        step={1}
        value={Math.round(value * 100)}
        onChange={({ currentTarget }) => onChange(Number(currentTarget.value) / 100)}
      />
    </div>
  )
}

/** On white and on black, because the console has both. */
function Logo({ canvas, bitmap }: CanvasProps) {
  const second = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    for (const one of [canvas.current, second.current]) if (one) drawLogo(one, bitmap)
  }, [canvas, bitmap])
  return (
    <>
      <p>As it looks on light and on dark pages:</p>
      <div className={`${shapes.grid} ${classes.logos}`}>
        <div className={`${shapes.tile} ${shapes.blank}`} data-ground="light">
          <canvas ref={canvas} role="img" aria-label="The logo on white" />
        </div>
        <div className={`${shapes.tile} ${shapes.blank}`} data-ground="dark">
          <canvas ref={second} role="img" aria-label="The logo on black" />
        </div>
      </div>
    </>
  )
}
