-- The public keys by which certificates of this installation are verified: another one since each change of its secret.
CREATE TABLE signing_keys (
  -- First 16 hexadecimal digits of the SHA-256 of the key.
  key_id text PRIMARY KEY,
  -- Ed25519.
  public_key bytea NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT signing_keys_length CHECK (octet_length(public_key) = 32)
);
REVOKE UPDATE, DELETE ON signing_keys FROM sendreel_app;
