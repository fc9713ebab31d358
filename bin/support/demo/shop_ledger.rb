# frozen_string_literal: true

require "fileutils"
require_relative "../../../examples/storefront/lib/storefront/ledger"

module Demo
  # What the storefront itself counted (see Storefront::Ledger), summed over its processes, also ended ones.
  class ShopLedger
    # Requests that an endpoint served, and how many of them were errors.
    EndpointCount = Data.define(:count, :errors) do
      def self.none = new(count: 0, errors: 0)

      def +(other) = with(count: count + other.count, errors: errors + other.errors)

      def -(other) = with(count: count - other.count, errors: errors - other.errors)
    end

    IDLE_SECONDS = 60
    ENTRY = "Z#{::Storefront::Ledger::NAME_BYTES}Q2".freeze

    # @param folder [String] of the files; it is made
    def initialize(folder)
      @folder = FileUtils.mkdir_p(folder).first
    end

    # @return [Hash{String => String}] environment of a shop that counts there
    def env = {"STOREFRONT_LEDGER" => @folder}

    # @return [Hash{String => EndpointCount}] by the names under which Holdup must report the requests
    def endpoints = entries.except(::Storefront::Ledger::BEGUN)

    # @param before [Hash{String => EndpointCount}] as `endpoints` returned it earlier
    # @return [Hash{String => EndpointCount}] what came since
    def since(before)
      counts = endpoints.to_h { |name, now| [name, now - before.fetch(name, EndpointCount.none)] }
      counts.select { |_, now| now.count.positive? }
    end

    # @return [Integer] requests that have begun and not ended, for example because nobody waits for them any
    #   more
    def open
      begun = entries.fetch(::Storefront::Ledger::BEGUN, EndpointCount.none)
      begun.count - begun.errors
    end

    # Waits until the shop has ended what it has begun. A killed process never does, so it waits for a while.
    # @param patience_s [Numeric]
    # @yield once that is so
    # @return [Object] the block's value
    def when_idle(patience_s: IDLE_SECONDS)
      deadline = now + patience_s
      IO.select(nil, nil, nil, 0.05) while open.positive? && now < deadline
      yield
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def entries
      all = Dir["#{@folder}/*.ledger"].flat_map { |path| entries_of(File.binread(path)) }
      all.each_with_object(Hash.new(EndpointCount.none)) { |(name, count), sums| sums[name] += count }
    end

    def entries_of(bytes)
      entries = bytes.unpack(ENTRY * (bytes.bytesize / ::Storefront::Ledger::ENTRY_BYTES))
      entries.each_slice(3).filter_map do |name, count, errors|
        [name.force_encoding(Encoding::UTF_8), EndpointCount.new(count:, errors:)] unless name.empty?
      end
    end
  end
end
