import { Button } from '@mantine/core'
import { useEffect, useId, useLayoutEffect, useRef, useState, type PointerEvent, type RefObject } from 'react'
import { sentence } from '#web/api/errors.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import classes from './PictureDialog.module.css'
import type { PictureKind } from './PictureField.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { pictureLimits } from '#contract/directory/picture-limits.ts'

type Props = {
  kind: PictureKind
  file: File
  onSave: (data: string) => Promise<unknown>
  onClose: () => void
}

/** What of a picture is taken: the middle in shares of what can be moved (0 to 1), and how much it is enlarged. */
type Crop = { x: number; y: number; zoom: number }

const wholePicture: Crop = { x: 0.5, y: 0.5, zoom: 1 }
const mostZoom = 4

/** Larger files are refused before they are read. */
const mostBytes = 25_000_000
/** Sent twice as large as it is kept; the server makes the rest. */
const scale = 2

/** The picture of a file, upright; throws a sentence for people. */
async function readPicture(file: File): Promise<ImageBitmap> {
  if (/svg/i.test(file.type) || /\.svgz?$/i.test(file.name))
    throw new Error(
      'SVG files are not taken, because they can hold programs. Please save the picture as PNG.',
    )
  if (file.size > mostBytes) throw new Error('This file is larger than 25 MB. Please choose a smaller one.')
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => undefined)
  if (!bitmap) throw new Error('This file is no picture that can be read. PNG, JPEG and WebP are taken.')
  return bitmap
}

/** Draws a square of the picture into the whole canvas. */
function drawSquare(canvas: HTMLCanvasElement, bitmap: ImageBitmap, { x, y, zoom }: Crop): void {
  const side = Math.min(bitmap.width, bitmap.height) / zoom
  const from = { left: (bitmap.width - side) * x, top: (bitmap.height - side) * y }
  const context = contextOf(canvas)
  context.clearRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, from.left, from.top, side, side, 0, 0, canvas.width, canvas.height)
}

/** The crop after the picture was pulled by so many shares of the canvas. */
function pulled(bitmap: ImageBitmap, crop: Crop, by: { x: number; y: number }): Crop {
  const side = Math.min(bitmap.width, bitmap.height) / crop.zoom
  const along = (share: number, length: number, pull: number) =>
    length - side < 1 ? share : clamp(share - (pull * side) / (length - side))
  return { ...crop, x: along(crop.x, bitmap.width, by.x), y: along(crop.y, bitmap.height, by.y) }
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share))
}

/** Draws all of the picture; the canvas takes its shape, within the box of a logo. */
function drawLogo(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  const { width, height } = pictureLimits.logo
  const share = Math.min(1, (width * scale) / bitmap.width, (height * scale) / bitmap.height)
  canvas.width = Math.max(1, Math.round(bitmap.width * share))
  canvas.height = Math.max(1, Math.round(bitmap.height * share))
  contextOf(canvas).drawImage(bitmap, 0, 0, canvas.width, canvas.height)
}

const avatarSide = pictureLimits.avatar.width * scale

/** The file that is sent, in base64. */
async function encoded(canvas: HTMLCanvasElement): Promise<string> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!blob) throw new Error('This browser could not save the picture.')
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let binary = ''
  // In pieces, as a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(binary)
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw pictures.')
  context.imageSmoothingQuality = 'high'
  return context
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
  const message = fault ?? problem
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
        {message && (
          <Notice tone="danger" role="alert">
            {message}
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
