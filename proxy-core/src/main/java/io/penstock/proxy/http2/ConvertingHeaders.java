package io.penstock.proxy.http2;

import io.netty.handler.codec.CharSequenceValueConverter;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The part of Netty's interface that reads and writes a field's value as something else than text. Nothing of it is on a request's way; it
 * stands apart so that {@link FlatHeaders} shows what is.
 */
abstract class ConvertingHeaders implements Http2Headers {

    private static final CharSequenceValueConverter AS = CharSequenceValueConverter.INSTANCE;

    /** Null too where the text is not of that kind. */
    private static <V> @Nullable V converted(@Nullable CharSequence text, Function<CharSequence, V> to) {
        try {
            return text == null ? null : to.apply(text);
        } catch (RuntimeException notOfThatKind) {
            return null;
        }
    }

    private static <V> V or(@Nullable V value, V otherwise) {
        return value == null ? otherwise : value;
    }

    @Override
    public @Nullable Boolean getBoolean(CharSequence name) {
        return converted(get(name), AS::convertToBoolean);
    }

    @Override
    public boolean getBoolean(CharSequence name, boolean otherwise) {
        return or(getBoolean(name), otherwise);
    }

    @Override
    public @Nullable Boolean getBooleanAndRemove(CharSequence name) {
        return converted(getAndRemove(name), AS::convertToBoolean);
    }

    @Override
    public boolean getBooleanAndRemove(CharSequence name, boolean otherwise) {
        return or(getBooleanAndRemove(name), otherwise);
    }

    @Override
    public boolean containsBoolean(CharSequence name, boolean value) {
        return contains(name, AS.convertBoolean(value));
    }

    @Override
    public Http2Headers addBoolean(CharSequence name, boolean value) {
        return add(name, AS.convertBoolean(value));
    }

    @Override
    public Http2Headers setBoolean(CharSequence name, boolean value) {
        return set(name, AS.convertBoolean(value));
    }

    @Override
    public @Nullable Byte getByte(CharSequence name) {
        return converted(get(name), AS::convertToByte);
    }

    @Override
    public byte getByte(CharSequence name, byte otherwise) {
        return or(getByte(name), otherwise);
    }

    @Override
    public @Nullable Byte getByteAndRemove(CharSequence name) {
        return converted(getAndRemove(name), AS::convertToByte);
    }

    @Override
    public byte getByteAndRemove(CharSequence name, byte otherwise) {
        return or(getByteAndRemove(name), otherwise);
    }

    @Override
    public boolean containsByte(CharSequence name, byte value) {
        return contains(name, AS.convertByte(value));
    }

    @Override
    public Http2Headers addByte(CharSequence name, byte value) {
        return add(name, AS.convertByte(value));
    }

    @Override
    public Http2Headers setByte(CharSequence name, byte value) {
        return set(name, AS.convertByte(value));
    }

    @Override
    public @Nullable Character getChar(CharSequence name) {
        return converted(get(name), AS::convertToChar);
    }

    @Override
    public char getChar(CharSequence name, char otherwise) {
        return or(getChar(name), otherwise);
    }

    @Override
    public @Nullable Character getCharAndRemove(CharSequence name) {
        return converted(getAndRemove(name), AS::convertToChar);
    }

    @Override
    public char getCharAndRemove(CharSequence name, char otherwise) {
        return or(getCharAndRemove(name), otherwise);
    }

    @Override
    public boolean containsChar(CharSequence name, char value) {
        return contains(name, AS.convertChar(value));
    }

    @Override
    public Http2Headers addChar(CharSequence name, char value) {
        return add(name, AS.convertChar(value));
    }

    @Override
    public Http2Headers setChar(CharSequence name, char value) {
        return set(name, AS.convertChar(value));
    }

    @Override
    public @Nullable Short getShort(CharSequence name) {
        return converted(get(name), AS::convertToShort);
    }

    @Override
    public short getShort(CharSequence name, short otherwise) {
        return or(getShort(name), otherwise);
    }

    @Override
    public @Nullable Short getShortAndRemove(CharSequence name) {
        return converted(getAndRemove(name), AS::convertToShort);
    }

    @Override
    public short getShortAndRemove(CharSequence name, short otherwise) {
        return or(getShortAndRemove(name), otherwise);
    }

    @Override
    public boolean containsShort(CharSequence name, short value) {
        return contains(name, AS.convertShort(value));
    }

    @Override
    public Http2Headers addShort(CharSequence name, short value) {
        return add(name, AS.convertShort(value));
    }

    @Override
    public Http2Headers setShort(CharSequence name, short value) {
        return set(name, AS.convertShort(value));
    }

    @Override
    public @Nullable Integer getInt(CharSequence name) {
        return converted(get(name), AS::convertToInt);
    }

    @Override
    public int getInt(CharSequence name, int otherwise) {
        return or(getInt(name), otherwise);
    }

    @Override
    public @Nullable Integer getIntAndRemove(CharSequence name) {
        return converted(getAndRemove(name), AS::convertToInt);
    }

    @Override
    public int getIntAndRemove(CharSequence name, int otherwise) {
        return or(getIntAndRemove(name), otherwise);
    }

    @Override
    public boolean containsInt(CharSequence name, int value) {
        return contains(name, AS.convertInt(value));
    }

    @Override
    public Http2Headers addInt(CharSequence name, int value) {
        return add(name, AS.convertInt(value));
    }

    @Override
    public Http2Headers setInt(CharSequence name, int value) {
        return set(name, AS.convertInt(value));
    }

    @Override
    public @Nullable Long getLong(CharSequence name) {
        return converted(get(name), AS::convertToLong);
    }

    @Override
    public long getLong(CharSequence name, long otherwise) {
        return or(getLong(name), otherwise);
    }

    @Override
    public @Nullable Long getLongAndRemove(CharSequence name) {
        return converted(getAndRemove(name), AS::convertToLong);
    }

    @Override
    public long getLongAndRemove(CharSequence name, long otherwise) {
        return or(getLongAndRemove(name), otherwise);
    }

    @Override
    public boolean containsLong(CharSequence name, long value) {
        return contains(name, AS.convertLong(value));
    }

    @Override
    public Http2Headers addLong(CharSequence name, long value) {
        return add(name, AS.convertLong(value));
    }

    @Override
    public Http2Headers setLong(CharSequence name, long value) {
        return set(name, AS.convertLong(value));
    }

    @Override
    public @Nullable Float getFloat(CharSequence name) {
        return converted(get(name), AS::convertToFloat);
    }

    @Override
    public float getFloat(CharSequence name, float otherwise) {
        return or(getFloat(name), otherwise);
    }

    @Override
    public @Nullable Float getFloatAndRemove(CharSequence name) {
        return converted(getAndRemove(name), AS::convertToFloat);
    }

    @Override
    public float getFloatAndRemove(CharSequence name, float otherwise) {
        return or(getFloatAndRemove(name), otherwise);
    }

    @Override
    public boolean containsFloat(CharSequence name, float value) {
        return contains(name, AS.convertFloat(value));
    }

    @Override
    public Http2Headers addFloat(CharSequence name, float value) {
        return add(name, AS.convertFloat(value));
    }

    @Override
    public Http2Headers setFloat(CharSequence name, float value) {
        return set(name, AS.convertFloat(value));
    }

    @Override
    public @Nullable Double getDouble(CharSequence name) {
        return converted(get(name), AS::convertToDouble);
    }

    @Override
    public double getDouble(CharSequence name, double otherwise) {
        return or(getDouble(name), otherwise);
    }

    @Override
    public @Nullable Double getDoubleAndRemove(CharSequence name) {
        return converted(getAndRemove(name), AS::convertToDouble);
    }

    @Override
    public double getDoubleAndRemove(CharSequence name, double otherwise) {
        return or(getDoubleAndRemove(name), otherwise);
    }

    @Override
    public boolean containsDouble(CharSequence name, double value) {
        return contains(name, AS.convertDouble(value));
    }

    @Override
    public Http2Headers addDouble(CharSequence name, double value) {
        return add(name, AS.convertDouble(value));
    }

    @Override
    public Http2Headers setDouble(CharSequence name, double value) {
        return set(name, AS.convertDouble(value));
    }

    @Override
    public @Nullable Long getTimeMillis(CharSequence name) {
        return converted(get(name), AS::convertToTimeMillis);
    }

    @Override
    public long getTimeMillis(CharSequence name, long otherwise) {
        return or(getTimeMillis(name), otherwise);
    }

    @Override
    public @Nullable Long getTimeMillisAndRemove(CharSequence name) {
        return converted(getAndRemove(name), AS::convertToTimeMillis);
    }

    @Override
    public long getTimeMillisAndRemove(CharSequence name, long otherwise) {
        return or(getTimeMillisAndRemove(name), otherwise);
    }

    @Override
    public boolean containsTimeMillis(CharSequence name, long value) {
        return contains(name, AS.convertTimeMillis(value));
    }

    @Override
    public Http2Headers addTimeMillis(CharSequence name, long value) {
        return add(name, AS.convertTimeMillis(value));
    }

    @Override
    public Http2Headers setTimeMillis(CharSequence name, long value) {
        return set(name, AS.convertTimeMillis(value));
    }

    @Override
    public boolean containsObject(CharSequence name, Object value) {
        return contains(name, AS.convertObject(value));
    }

    @Override
    public Http2Headers addObject(CharSequence name, Object value) {
        return add(name, AS.convertObject(value));
    }

    @Override
    public Http2Headers addObject(CharSequence name, Iterable<?> values) {
        values.forEach(value -> addObject(name, value));
        return this;
    }

    @Override
    public Http2Headers addObject(CharSequence name, Object... values) {
        return addObject(name, List.of(values));
    }

    @Override
    public Http2Headers setObject(CharSequence name, Object value) {
        return set(name, AS.convertObject(value));
    }

    @Override
    public Http2Headers setObject(CharSequence name, Iterable<?> values) {
        remove(name);
        return addObject(name, values);
    }

    @Override
    public Http2Headers setObject(CharSequence name, Object... values) {
        return setObject(name, List.of(values));
    }
}
