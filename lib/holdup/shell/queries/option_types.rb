# frozen_string_literal: true

module Holdup
  module Queries
    # How the values of options are read. A type has
    #
    # - `read(option, text, now_s)`: the value; raises UsageError
    # - `add(earlier, value)`: the value of an option that was given again; `earlier` is nil the first time
    # - `schema`: JSON Schema of what `read` takes
    module OptionTypes
      # What most types have: the last value counts, and it is written as text.
      module Plain
        def add(_earlier, value) = value

        def schema = {type: "string"}
      end

      # An option without a value stands for one.
      Switch = Data.define(:value) do
        include Plain

        def read(_option, _text, _now_s) = value

        def schema = {type: "boolean"}
      end

      Text = Data.define do
        include Plain

        # An optional value that is left out is empty.
        def read(_option, text, _now_s) = text.to_s
      end

      # `known`: the values that are allowed
      Choice = Data.define(:known) do
        include Plain

        def read(option, text, _now_s) = OptionValues.choice(option, text, known)

        def schema = {type: "string", enum: known.map(&:to_s)}
      end

      # Some of the values that are allowed, with commas.
      Choices = Data.define(:known) do
        include Plain

        def read(option, text, _now_s)
          OptionValues.parts(text).map { |part| OptionValues.choice(option, part, known) }
        end
      end

      Whole = Data.define(:range) do
        include Plain

        def read(option, text, _now_s) = OptionValues.whole(option, text, range)

        def schema = {type: "integer", minimum: range.begin}
      end

      # Whole numbers with commas: ascending, each once.
      WholeList = Data.define(:range) do
        include Plain

        def read(option, text, _now_s) = OptionValues.list(option, text, range)
      end

      # Whole numbers with commas, in their order.
      WholeSequence = Data.define(:range) do
        include Plain

        def read(option, text, _now_s)
          OptionValues.parts(text).map { |part| OptionValues.whole(option, part, range) }
        end
      end

      Positive = Data.define do
        include Plain

        def read(option, text, _now_s) = OptionValues.positive(option, text)

        def schema = {type: "number"}
      end

      Factor = Data.define do
        include Plain

        def read(option, text, _now_s) = OptionValues.factor(option, text)
      end

      Share = Data.define do
        include Plain

        def read(option, text, _now_s) = OptionValues.share(option, text)
      end

      # Nanoseconds, written with a unit.
      Duration = Data.define do
        include Plain

        def read(option, text, _now_s) = OptionValues.duration(option, text)
      end

      # Whole seconds, written with a unit. `least`: for a shorter time
      WholeSeconds = Data.define(:least) do
        include Plain

        def read(option, text, _now_s)
          [OptionValues.duration(option, text) / 1_000_000_000, least].max
        end
      end

      # A number of seconds.
      Seconds = Data.define(:range) do
        include Plain

        def read(option, text, _now_s) = OptionValues.seconds(option, text, range)
      end

      # A length in seconds, of a minute or more.
      Length = Data.define do
        include Plain

        def read(option, text, _now_s) = OptionValues.span(option, text)
      end

      TimeSlice = Data.define do
        include Plain

        def read(option, text, _now_s) = OptionValues.time_slice(option, text)
      end

      # Seconds since 1970, written as a time ago or a date.
      PointInTime = Data.define do
        include Plain

        def read(option, text, now_s) = OptionValues.moment(option, text, now_s:)
      end

      # Texts with commas.
      Texts = Data.define do
        include Plain

        def read(_option, text, _now_s) = text.split(",").map(&:strip)
      end

      # Each time it is given adds one. `type`: of one
      Repeated = Data.define(:type) do
        def read(...) = type.read(...)

        def add(earlier, value) = [*earlier, value]

        def schema = {type: "array", items: type.schema}
      end

      # A part of the origin. `part`: a member of Origin
      OriginPart = Data.define(:part) do
        include Plain

        def read(_option, text, _now_s) = text

        def add(earlier, value) = (earlier || Origin.new).with(part => value)
      end
    end
  end
end
