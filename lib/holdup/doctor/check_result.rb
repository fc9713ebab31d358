# frozen_string_literal: true

module Holdup
  module Doctor
    # What a check found. `level` is :ok, :warn or :fail; `key` names the sentence (`doctor_<key>`) and,
    # unless all is well, the remedy (`doctor_<key>_fix`); `facts` fill them in.
    CheckResult = Data.define(:level, :key, :facts) do
      def self.ok(key, **facts)
        new(level: :ok, key:, facts:)
      end

      def self.warn(key, **facts)
        new(level: :warn, key:, facts:)
      end

      def self.fail(key, **facts)
        new(level: :fail, key:, facts:)
      end

      def ok? = level == :ok

      def fail? = level == :fail
    end
  end
end
