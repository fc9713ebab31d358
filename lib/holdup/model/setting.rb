# frozen_string_literal: true

require "digest"
require "json"
require_relative "errors"

module Holdup
  # Everything that changes results (Ruby, JIT, threads, processes, time slice, GC, server, revision), as flat
  # facts. Recordings are merged only when their settings are equal; the fingerprint is the short name.
  Setting = Data.define(:attributes) do
    # @param text [String] JSON object of scalars
    # @raise [DamagedData] when the text is anything else
    def self.parse(text)
      attributes = JSON.parse(text)
      unless attributes.is_a?(Hash)
        raise DamagedData.new("a setting is not a JSON object", "it starts with #{text[0, 40].inspect}")
      end
      new(attributes:)
    rescue JSON::ParserError, JSON::GeneratorError, EncodingError
      raise DamagedData.new("a setting is not valid JSON", "it starts with #{text[0, 40].inspect}")
    end

    # @return [Array<Array<#setting>>] groups whose settings differ only in the label
    def self.alike(things)
      by_setting = things.group_by(&:setting)
      alike = by_setting.keys.group_by { |setting| setting&.unlabelled }
      alike.values.map { |settings| settings.flat_map { |setting| by_setting[setting] } }
    end

    # @param attributes [Hash{String, Symbol => String, Numeric, Boolean, nil}] in any order
    def initialize(attributes:)
      sorted = attributes.to_h { |key, value| [key.to_s, value] }.sort.to_h.freeze
      @json = JSON.generate(sorted).freeze
      @fingerprint = Digest::SHA256.hexdigest(@json)[0, 12].freeze
      super(attributes: sorted)
    end

    # @return [String] 12 hexadecimal digits of the SHA-256 of the canonical JSON
    attr_reader :fingerprint

    # Settings are keys of many hashes: hashing all facts each time would be most of a merge.
    def hash = fingerprint.hash

    def eql?(other)
      other.is_a?(Setting) && to_json == other.to_json
    end
    alias_method :==, :eql?

    # @return [String] canonical JSON: keys sorted, no spaces
    def to_json(*) = @json

    # Marshal would set what it remembers in a frozen object.
    # @return [String]
    def _dump(_depth) = @json

    # @param text [String] of _dump
    # @return [Setting]
    def self._load(text) = parse(text.dup.force_encoding(Encoding::UTF_8))

    def [](key) = attributes[key.to_s]

    # @return [String, nil] what the process does: "puma", "sidekiq", "puma+solid_queue"
    def role
      names = attributes.values_at("server", "jobs").compact
      names.join("+") if names.any?
    end

    # @return [Integer] that run requests or jobs in a process; 0: unknown
    def threads = attributes.values_at(*self.class::THREADS).sum(&:to_i)

    def unlabelled
      attributes.key?(self.class::LABEL) ? with(attributes: attributes.except(self.class::LABEL)) : self
    end
  end

  # Facts with a number of threads.
  Setting::THREADS = %w[threads job_threads].freeze
  # Names the arm of an experiment that a process belongs to; it does not affect results.
  Setting::LABEL = "arm"
end
