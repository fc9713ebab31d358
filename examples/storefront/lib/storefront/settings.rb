# frozen_string_literal: true

require "securerandom"
require "uri"

module Storefront
  # Everything the shop reads from its environment, in one place; the defaults suit a run by hand.
  Settings = Data.define(:storage, :upstream, :database_peer, :log, :ledger, :secret_key_base) do
    # @param env [Hash<String, String>] usually ENV
    def self.from(env)
      new(
        storage: env.fetch("STOREFRONT_STORAGE") { File.expand_path("../../storage", __dir__) },
        upstream: URI(env.fetch("STOREFRONT_UPSTREAM", "http://127.0.0.1:9301")),
        database_peer: URI(env.fetch("STOREFRONT_DATABASE_PEER", "tcp://127.0.0.1:9302")),
        log: env.fetch("STOREFRONT_LOG", File::NULL),
        # Folder for the shop's own count of what it served; nil: it does not count.
        ledger: env["STOREFRONT_LEDGER"],
        # Nothing is signed that must outlive a boot, so the secret need not either: there is none on disk.
        secret_key_base: env.fetch("SECRET_KEY_BASE") { SecureRandom.hex(64) }
      )
    end
  end
end
