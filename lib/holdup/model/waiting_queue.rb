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
  WaitingQueue = Data.define(:name, :size, :lane, :weight, :more) do
    def initialize(name:, size:, lane: 0, weight: 0, more: false)
      super
    end

    # Texts for the profile of a process, each short enough to be kept whole. A queue whose name is too long
    # for one is left out.
    # @param queues [Array<WaitingQueue>]
    # @return [Array<String>] such as "0:critical=120 1:default=33"
    def self.texts(queues)
      entries = queues.map(&:to_s).reject { |entry| entry.size > self::LONGEST_TEXT }
      entries.each_with_object([]) do |entry, texts|
        fits = texts.any? && texts.last.size + entry.size < self::LONGEST_TEXT
        fits ? texts.push("#{texts.pop} #{entry}") : texts.push(entry)
      end
    end

    # @param texts [Array<String>] of `texts`; whatever else they contain is left out
    # @return [Array<WaitingQueue>]
    def self.parse(texts)
      texts.flat_map { |text| text.scan(self::ENTRY) }.map do |lane, weight, name, size, more|
        new(name: decoded(name), size: size.to_i, lane: lane.to_i, weight: weight.to_i, more: !more.nil?)
      end
    end

    def self.decoded(name)
      Utf8.valid(name.b.gsub(/%(\h\h)/n) { $1.hex.chr })
    end
    private_class_method :decoded

    def to_s
      "#{lane}#{"*#{weight}" if weight.positive?}:#{encoded_name}=#{size}#{"+" if more}"
    end

    private

    def encoded_name
      name.gsub(self.class::SEPARATORS) { |char| char.bytes.map { |byte| format("%%%02X", byte) }.join }
    end
  end

  # FlatJson::LONGEST_VALUE
  WaitingQueue::LONGEST_TEXT = 120
  WaitingQueue::SEPARATORS = /[\s%=]/
  WaitingQueue::ENTRY = /(\d+)(?:\*(\d+))?:([^\s=]*)=(\d+)(\+)?/
end
