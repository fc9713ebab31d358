# frozen_string_literal: true

require_relative "utf8"

module Holdup
  # A queue of a job runner's pool, with the number of jobs that wait in it at one moment.
  #
  # - `lane`: its place in the order in which the pool's threads look at queues, 0 first. Jobs of queues in
  #   one lane are taken in the order in which they came
  # - `weight`: 0 where that order is strict; else a thread looks at the lanes in a new order for each job, in
  #   which a lane is first as often as its weight says
  # - `more`: whether more jobs wait, which were not counted
  # - `mix`: class name => number of jobs, of a sample of those that wait; empty where none was taken
  WaitingQueue = Data.define(:name, :size, :lane, :weight, :more, :mix) do
    def initialize(name:, size:, lane: 0, weight: 0, more: false, mix: {})
      super
    end

    # Texts for the profile of a process, each short enough to be kept whole. A queue whose name is too long
    # for one is left out. What the samples are of comes last, as it matters least.
    # @param queues [Array<WaitingQueue>]
    # @return [Array<String>] such as "0:critical=120 1:default=33 default@MailJob=12"
    def self.texts(queues)
      entries = [*queues.map(&:to_s), *queues.flat_map(&:mix_entries)]
      entries.reject! { |entry| entry.size > self::LONGEST_TEXT }
      entries.each_with_object([]) do |entry, texts|
        fits = texts.any? && texts.last.size + entry.size < self::LONGEST_TEXT
        fits ? texts.push("#{texts.pop} #{entry}") : texts.push(entry)
      end
    end

    # @param texts [Array<String>] of `texts`; whatever else they contain is left out
    # @return [Array<WaitingQueue>]
    def self.parse(texts)
      mixes = mixes(texts)
      texts.flat_map { |text| text.scan(self::ENTRY) }.map do |lane, weight, encoded, size, more|
        name = decoded(encoded)
        new(name:, size: size.to_i, lane: lane.to_i, weight: weight.to_i, more: !more.nil?,
          mix: mixes.fetch(name, {}))
      end
    end

    # @return [Hash{String => Hash{String => Integer}}] queue => class name => jobs
    def self.mixes(texts)
      entries = texts.flat_map { |text| text.scan(self::MIX_ENTRY) }
      entries.group_by { |queue, *| decoded(queue) }.transform_values do |same|
        same.to_h { |_, name, count| [decoded(name), count.to_i] }
      end
    end

    def self.decoded(name)
      Utf8.valid(name.b.gsub(/%(\h\h)/n) { $1.hex.chr })
    end
    private_class_method :mixes, :decoded

    def to_s
      name = encoded(self.name, self.class::SEPARATORS)
      "#{lane}#{"*#{weight}" if weight.positive?}:#{name}=#{size}#{"+" if more}"
    end

    # @return [Array<String>]
    def mix_entries
      queue, *names = [name, *mix.keys].map { |text| encoded(text, self.class::MIX_SEPARATORS) }
      names.zip(mix.values).map { |name, count| "#{queue}@#{name}=#{count}" }
    end

    private

    def encoded(text, separators)
      text.gsub(separators) { |char| char.bytes.map { |byte| format("%%%02X", byte) }.join }
    end
  end

  # FlatJson::LONGEST_VALUE
  WaitingQueue::LONGEST_TEXT = 120
  WaitingQueue::SEPARATORS = /[\s%=]/
  WaitingQueue::ENTRY = /(\d+)(?:\*(\d+))?:([^\s=]*)=(\d+)(\+)?/
  # An entry of a sample has no colon, so that it is none of a queue.
  WaitingQueue::MIX_SEPARATORS = /[\s%=:@]/
  WaitingQueue::MIX_ENTRY = /(?<!\S)([^\s=:@]*)@([^\s=:@]+)=(\d+)(?!\S)/
end
