# frozen_string_literal: true

require "json"
require_relative "autopsy"
require_relative "utf8"

module Holdup
  # How far the collector of one host and folder has come, as of its last round that wrote something.
  #
  # - `host`; `folder`: path and id of the folder of segments, see `path`
  # - `at_ns`: when that round read them, since 1970
  # - `units`: {String => Integer}: by segment file name, how many of its requests and jobs are in the store
  # - `last_round`: Array of Autopsy, as if the processes with long requests and jobs had died right after
  #   that round: if a container is killed with its collector, nothing else is left of them
  CollectorCheckpoint = Data.define(:host, :folder, :at_ns, :units, :last_round) do
    # @param text [String] see `to_text`
    # @raise [JSON::ParserError, ArgumentError, KeyError, TypeError, NoMethodError] for damaged text
    def self.load(host:, folder:, at_ns:, text:)
      facts = JSON.parse(text)
      return new(host:, folder:, at_ns:, units: facts) unless facts.key?("units") # without a last round
      processes = JSON.parse(JSON.generate(facts.fetch("last_round")), symbolize_names: true)
      last_round = processes.map do |one|
        Autopsy.load(source: one.fetch(:source), facts: one.except(:source))
      end
      new(host:, folder:, at_ns:, units: facts.fetch("units"), last_round:)
    end

    def initialize(host:, folder:, at_ns:, units:, last_round: [])
      super
    end

    # @return [String] JSON of everything but the key and the time
    def to_text
      return JSON.generate(units) if last_round.empty?
      JSON.generate(units:, last_round: last_round.map(&:to_h))
    end

    # @param path [String] any bytes
    # @param id [String] tells folders of the same path apart, because hosts may share a name
    def self.folder(path, id)
      text = Utf8.of(path)
      "#{text.valid_encoding? ? text : path.b.dump}##{id}"
    end

    # A later one with the same key replaces an earlier one.
    def key = [host, folder]

    # The path as the collector sees it.
    def path = folder.sub(/#\h{16}\z/, "")

    # Whether it is of that folder, whatever the path is.
    def of?(id) = folder.end_with?("##{id}")

    # @return [String, nil] id of the folder
    def id = folder[/#(\h{16})\z/, 1]
  end

  # The store deletes those that are older than this, and the checkpoints of such a folder.
  CollectorCheckpoint::KEEP_S = 14 * 86_400

  # Names of the checkpoints of one folder of segments, by its id. A folder also has a token, which each
  # commit replaces. Of a folder that was silent for CollectorCheckpoint::KEEP_S only the token stays, marked
  # and for a further FORGET_S: a collector that comes back learns that it can't know what it had carried.
  module CheckpointNames
    TOKEN = "#token"
    PRUNED = / pruned (\d+)\z/
    FORGET_S = 16 * 86_400

    module_function

    # What the names of a folder's checkpoints begin with.
    def scope(id) = "#{id} segments/"

    def token(id) = scope(id) + TOKEN

    # @param checkpoints [Array<CollectorCheckpoint>] all of them; a folder may have several, of hosts
    #   or paths
    # @return [Array<String>] ids of folders that were silent for so long
    def silent(checkpoints, now_s)
      before_ns = (now_s - CollectorCheckpoint::KEEP_S) * 1_000_000_000
      old, fresh = checkpoints.partition { |one| one.at_ns < before_ns }
      (old.map(&:id) - fresh.map(&:id)).compact.uniq
    end

    # @param names [Array<String>] of the checkpoints of one folder
    # @param text [String, nil] of its token
    # @return [Hash{String => String, nil}] changes that leave its token only
    def pruned(id, names, text, now_s)
      return {} if text.nil? || PRUNED.match?(text)
      {**names.to_h { |name| [name, nil] }, token(id) => "#{text} pruned #{now_s}"}
    end

    # @param tokens [Hash{String => String}] checkpoints, or only the tokens
    # @return [Array<String>] names of tokens that may go
    def forgotten(tokens, now_s)
      pruned = tokens.select { |name, text| name.end_with?(TOKEN) && PRUNED.match?(text) }
      pruned.select { |_, text| text[PRUNED, 1].to_i < now_s - FORGET_S }.keys
    end
  end

  # A name, sample or stored row that could not be carried or kept; skipping it lets the rest go on.
  #
  # - `at_s`: the last time; `host`
  # - `kind`: one of KINDS; `name`: of the request, job, process or file; `reason`: one sentence
  # - `count`: how many such rows
  SkippedRow = Data.define(:at_s, :host, :kind, :name, :reason, :count) do
    # @param name [String] any bytes, like reason
    def initialize(at_s:, host:, kind:, name:, reason:, count: 1)
      name = self.class.text(name)
      reason = self.class.text(reason)
      super(at_s:, host: host.to_s, kind: kind.to_sym, name:, reason:, count:)
    end

    # @return [String] text that every store can keep
    def self.text(text)
      cut = text.to_s.b.byteslice(0, self::MOST_BYTES).force_encoding(Encoding::UTF_8)
      -cut.scrub("?").gsub(/[[:cntrl:]]+/, " ")
    end

    # Rows with the same key are added up.
    def key = [host, kind, name]

    def merge(later)
      later.with(at_s: [at_s, later.at_s].max, count: count + later.count)
    end
  end

  # - segment, series: a file of a process, or one row of it, that can't be read
  # - checkpoint: it is unknown how far a file was carried; what it measured in between is not counted
  # - window, sample, unit_samples, path: the store rejected it
  # - stored: the store can't read its row any more; the new row replaced it
  SkippedRow::KINDS = %i[segment series checkpoint window sample unit_samples path stored death].freeze
  SkippedRow::MOST_BYTES = 200
  SkippedRow::KEEP_S = CollectorCheckpoint::KEEP_S
  # How many a store keeps: the latest ones.
  SkippedRow::MOST = 500
end
