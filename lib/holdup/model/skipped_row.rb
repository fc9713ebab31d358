# frozen_string_literal: true

module Holdup
  # What could not be carried or kept, so that it must not stop the rest: a name, a sample, a stored row that
  # is damaged.
  #
  # - `at_s`: the last time; `host`
  # - `kind`: one of KINDS; `name`: of the request, job, process or file; `reason`: one sentence
  # - `count`: how many such rows
  SkippedRow = Data.define(:at_s, :host, :kind, :name, :reason, :count) do
    # @param name [String] any bytes
    # @param reason [String] any bytes
    def initialize(at_s:, host:, kind:, name:, reason:, count: 1)
      name = self.class.text(name)
      reason = self.class.text(reason)
      super(at_s:, host: host.to_s, kind: kind.to_sym, name:, reason:, count:)
    end

    # @param text [Object] any bytes
    # @return [String] that every store can keep
    def self.text(text)
      cut = text.to_s.b.byteslice(0, self::MOST_BYTES).force_encoding(Encoding::UTF_8)
      -cut.scrub("?").gsub(/[[:cntrl:]]+/, " ")
    end

    # @return [Array] rows of the same key are added up
    def key = [host, kind, name]

    # @param later [SkippedRow] of the same key
    def merge(later)
      later.with(at_s: [at_s, later.at_s].max, count: count + later.count)
    end
  end

  # - segment, series: a file of a process, or one row of it, that can't be read
  # - position: how far a file was carried is unknown: what it measured in between is not counted
  # - window, sample, profiles, path: what the store did not take
  # - stored: what the store had and can't read any more; what is new took its place
  SkippedRow::KINDS = %i[segment series position window sample profiles path stored].freeze
  SkippedRow::MOST_BYTES = 200
  SkippedRow::KEEP_S = 14 * 86_400
  # How many different ones a store keeps, the latest.
  SkippedRow::MOST = 500
end
