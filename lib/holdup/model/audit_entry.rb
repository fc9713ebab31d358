# frozen_string_literal: true

require_relative "utf8"

module Holdup
  # An entry of the audit log: what one process did with a setting that can change while it runs.
  #
  # - `source`: unique, see AuditFiles; `at_s`: since 1970; `host`; `pid`
  # - `event`: one of EVENTS; `plan_id`: of the experiment, or of what the autopilot keeps
  # - `lever`: "threads"; `from`, `to`: its values, the same where only the event is of interest
  # - `who`: one of ACTORS; `by`: who exactly ("deploy@web-1"); `why`: one line
  # - `begins`: text of the plan, where an experiment begins in this process; else empty
  AuditEntry = Data.define(
    :source, :at_s, :host, :pid, :event, :plan_id, :lever, :from, :to, :who, :by, :why, :begins
  ) do
    # @param line [String] of to_line
    # @return [AuditEntry, nil] nil for a damaged one
    def self.parse(line, source:, host:)
      parts = Utf8.valid(line).chomp.split("\t", -1)
      return unless parts.size == self::WRITTEN.size
      facts = self::WRITTEN.zip(parts).to_h
      facts[:begins] = facts[:begins].tr(self::NEWLINE, "\n")
      numbers = facts.slice(*self::NUMBERS).transform_values { |text| Integer(text, 10) }
      new(source:, host:, **facts, **numbers)
    rescue ArgumentError
      nil
    end

    def initialize(at_s:, event:, plan_id:, lever:, from:, to:, who:, source: "", host: "",
      pid: Process.pid, by: "", why: "", begins: "")
      event = event.to_sym
      who = who.to_sym
      unless self.class::EVENTS.include?(event) && self.class::ACTORS.include?(who)
        raise ArgumentError, "no event #{event} of #{who}"
      end
      super
    end

    # The line has no source and no host: the reader knows them.
    # @return [String] ends with a newline
    def to_line
      texts = self.class::WRITTEN.map do |name|
        text = Utf8.valid(public_send(name)).tr("\n", (name == :begins) ? self.class::NEWLINE : " ")
        text.tr("\t", " ")[0, self.class::LONGEST]
      end
      "#{texts.join("\t")}\n"
    end

    def changed? = from != to
  end

  # - begins: an experiment begins in this process; turn: the next arm has its turn
  # - kept: the autopilot keeps the value; ends: the configured value, or what was kept before, returns
  AuditEntry::EVENTS = %i[begins turn kept ends].freeze
  # lease: it ran out, so the process itself returned to the configured value.
  AuditEntry::ACTORS = %i[experiment autopilot lease operator].freeze
  AuditEntry::WRITTEN = (AuditEntry.members - %i[source host]).freeze
  AuditEntry::NUMBERS = %i[at_s pid from to].freeze
  AuditEntry::NEWLINE = "\u001e"
  AuditEntry::LONGEST = 1000
  # The store deletes entries that are older.
  AuditEntry::KEEP_S = 90 * 86_400

  # What processes of one turn did alike. `changes`: Array of AuditEntry, by time
  AuditEntry::AlikeEntries = Data.define(:changes) do
    # @param changes [Array<AuditEntry>] by time
    # @return [Array<AlikeEntries>] by time of their first
    def self.of(changes)
      alike = changes.group_by { |change| change.to_h.except(:source, :at_s, :pid, :begins) }
      groups = alike.values.flat_map do |same|
        same.slice_when { |before, after| after.at_s - before.at_s > self::APART_S }.to_a
      end
      groups.sort_by { |same| same.first.at_s }.map { |same| new(changes: same) }
    end

    def first = changes.first

    # @return [Array<Integer>]
    def pids = changes.map(&:pid).uniq.sort
  end

  # Processes follow the same clock, at their next tick.
  AuditEntry::AlikeEntries::APART_S = 45

  # The files in a folder of segments to which processes append their entries: one for each day, so that a
  # file to which nothing comes any more can be removed.
  class AuditEntry::AuditFiles
    NAME = /\Aaudit-(\d{8})\.log\z/

    # @param day [String] "20261126"
    def self.name(day) = "audit-#{day}.log"

    def self.day(second) = Time.at(second).utc.strftime("%Y%m%d")

    # @param folder [String]
    def initialize(folder)
      @folder = folder
    end

    # Each entry is one write at the end of the file, so those of several processes never mix.
    # @param change [AuditEntry]
    # @raise [SystemCallError]
    def append(change)
      flags = File::WRONLY | File::CREAT | File::APPEND | File::NOFOLLOW
      path = File.join(@folder, self.class.name(self.class.day(change.at_s)))
      File.open(path, flags, 0o600) { |file| file.syswrite(change.to_line) }
    end

    # @return [Array<String>] oldest first
    def paths
      names = Dir.children(@folder).select { |name| NAME.match?(name) }
      names.sort.map { |name| File.join(@folder, name) }
    rescue SystemCallError
      []
    end
  end
end
