# frozen_string_literal: true

module Holdup
  # What a process was doing when it died: it is gone, and has not closed its segment, or a worker killer had
  # it end.
  #
  # - `source`: unique: folder and name of the segment, and when it was created
  # - `host`; `pid`; `name`: "worker 0"; `server`: "puma", nil if unknown; `setting`: its fingerprint
  # - `since_ns`: when it began to measure; `alive_ns`: its last sign of life; `gone_ns`: when it was missed.
  #   It died between the last two. `told_ns`: when its parent saw that it was gone, or nil
  # - `reason`: one of REASONS; `status`: number of the signal or the exit status, nil if unknown
  # - `units`: Array of Hash: the requests and jobs in flight, facts of Segment::OpenUnit; `beyond`: how many
  #   more began while the table of open ones was full
  # - `gvl`: Hash, facts of Segment::OpenState, nil if unknown; `objects`: what the process had allocated by
  #   its last tick, nil if unknown
  # - `memory`: Array of Hash, :at_s and :rss_bytes, by time; `ended`: Array of Hash, :kind, :name, :start_ns
  #   and :wall_ns of the last requests and jobs that ended, the latest last
  # - `last_round_ns`: when its collector read all this, if that fell silent with the process; else nil. Then
  #   `units` are those that were in flight for long
  # - `shares`: {name => how many of its requests and jobs were in flight at a moment, on average, in a
  #   process like this one in the hour before}
  Autopsy = Data.define(
    :source, :host, :pid, :name, :server, :setting, :since_ns, :alive_ns, :gone_ns, :told_ns, :reason,
    :status, :units, :beyond, :gvl, :objects, :memory, :ended, :last_round_ns, :shares
  ) do
    # @param facts [Hash{Symbol => Object}] as `facts` gives them, from JSON with names as symbols
    # @raise [ArgumentError, KeyError, TypeError, NoMethodError] for facts that are damaged
    def self.load(source:, facts:)
      units = facts.fetch(:units).map { |unit| symbols(unit, :kind, :state) }
      ended = facts.fetch(:ended).map { |unit| symbols(unit, :kind) }
      shares = facts.fetch(:shares).transform_keys(&:to_s)
      new(**facts, source:, units:, ended:, shares:)
    end

    # Words that JSON keeps as text.
    def self.symbols(facts, *keys)
      facts.to_h { |key, value| [key, keys.include?(key) ? value&.to_sym : value] }
    end
    private_class_method :symbols

    def initialize(source:, host:, pid:, name:, setting:, since_ns:, alive_ns:, gone_ns:, server: nil,
      told_ns: nil, reason: :gone, status: nil, units: [], beyond: 0, gvl: nil, objects: nil, memory: [],
      ended: [], last_round_ns: nil, shares: {})
      reason = reason.to_sym
      raise ArgumentError, "no reason #{reason}" unless self.class::REASONS.include?(reason)
      super
    end

    # @return [Hash{Symbol => Object}] everything but the source, for JSON
    def facts = to_h.except(:source)

    # @return [Integer] when it died, as exactly as that is known
    def died_ns = told_ns ? told_ns.clamp(alive_ns, [alive_ns, gone_ns].max) : alive_ns

    # @return [Integer] the second that it is kept under
    def at_s = died_ns / 1_000_000_000

    # @return [String] what a user names it by: unique for a host and a second
    def id = "#{at_s.to_s(36)}-#{pid}"
  end

  # - oom: the kernel killed it for memory; timeout: its server killed it because it did not answer
  # - killer: a gem that ends processes which have grown too large had it end
  # - signal: another signal, or its own crash; exit: it ended with a status, and ran no handlers
  # - lost: its collector fell silent with it, as when a container is killed
  # - gone: nobody saw how
  Autopsy::REASONS = %i[oom timeout killer signal exit lost gone].freeze
  # The store deletes those that are older, and the oldest of more than MOST.
  Autopsy::KEEP_S = 90 * 86_400
  Autopsy::MOST = 2000
end
